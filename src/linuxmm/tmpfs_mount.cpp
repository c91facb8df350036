// SPDX-License-Identifier: Apache-2.0
#include "linuxmm/tmpfs_mount.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <string_view>

#include "backing/mapping.hpp"

namespace folioscope {
namespace {

enum class Step : int { namespaces, filesystem, option, mount, file, none };

struct Answer {
  Step failed = Step::none;
  int error = 0;
};

/// A descriptor travels beside the answer.
void send(int socket, Answer answer, int descriptor) {
  iovec text{&answer, sizeof answer};
  alignas(cmsghdr) char room[CMSG_SPACE(sizeof descriptor)] = {};
  msghdr message{};
  message.msg_iov = &text;
  message.msg_iovlen = 1;
  if (descriptor >= 0) {
    message.msg_control = room;
    message.msg_controllen = sizeof room;
    cmsghdr* const header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof descriptor);
    std::memcpy(CMSG_DATA(header), &descriptor, sizeof descriptor);
  }
  sendmsg(socket, &message, MSG_NOSIGNAL);
}

int receive(int socket, Answer& answer) {
  iovec text{&answer, sizeof answer};
  alignas(cmsghdr) char room[CMSG_SPACE(sizeof(int))] = {};
  msghdr message{};
  message.msg_iov = &text;
  message.msg_iovlen = 1;
  message.msg_control = room;
  message.msg_controllen = sizeof room;
  if (recvmsg(socket, &message, MSG_CMSG_CLOEXEC) != sizeof answer) {
    answer = {Step::namespaces, ECHILD};
    return -1;
  }
  int descriptor = -1;
  if (cmsghdr* const header = CMSG_FIRSTHDR(&message); header && header->cmsg_type == SCM_RIGHTS)
    std::memcpy(&descriptor, CMSG_DATA(header), sizeof descriptor);
  return descriptor;
}

/// Made before the fork: who the child is inside its user namespace. Files are made only by somebody who is mapped.
struct Identity {
  std::string users = fmt::format("0 {} 1", geteuid()), groups = fmt::format("0 {} 1", getegid());
};

bool write_text(char const* path, char const* text, std::size_t length) {
  int const file = open(path, O_WRONLY | O_CLOEXEC);
  if (file < 0) return false;
  bool const written = write(file, text, length) == static_cast<ssize_t>(length);
  int const error = errno;
  close(file);
  errno = error;
  return written;
}

/// In the child: system calls only, since other threads of the parent may have held any lock at the fork.
void make_file(int socket, char const* huge, Identity const& identity) {
  auto const failed = [socket](Step step) {
    send(socket, {step, errno}, -1);
    _exit(1);
  };
  if (unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) failed(Step::namespaces);
  constexpr std::string_view deny = "deny";
  write_text("/proc/self/setgroups", deny.data(), deny.size());  // missing before v3.19, where it is not asked for
  if (!write_text("/proc/self/uid_map", identity.users.data(), identity.users.size()) ||
      !write_text("/proc/self/gid_map", identity.groups.data(), identity.groups.size()))
    failed(Step::namespaces);
  int const filesystem = fsopen("tmpfs", FSOPEN_CLOEXEC);
  if (filesystem < 0) failed(Step::filesystem);
  if (fsconfig(filesystem, FSCONFIG_SET_STRING, "huge", huge, 0) != 0) failed(Step::option);
  if (fsconfig(filesystem, FSCONFIG_SET_STRING, "size", "100%", 0) != 0) failed(Step::option);
  if (fsconfig(filesystem, FSCONFIG_CMD_CREATE, nullptr, nullptr, 0) != 0) failed(Step::filesystem);
  int const mounted = fsmount(filesystem, FSMOUNT_CLOEXEC, 0);
  if (mounted < 0) failed(Step::mount);
  int const file = openat(mounted, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (file < 0) failed(Step::file);
  send(socket, {}, file);
  _exit(0);
}

Refusal refusal_of(Answer const& answer, char const* huge) {
  std::string const subject = fmt::format("tmpfs huge={}", huge), error = backing::errno_text(answer.error);
  switch (answer.failed) {
    case Step::namespaces:
      return {
          subject, "no user namespace can be had: " + error,
          "allow them (sysctl user.max_user_namespaces, kernel.unprivileged_userns_clone) or run outside the sandbox"};
    case Step::option:
      return {subject, "this tmpfs does not know the option huge: " + error,
              "boot a Linux with CONFIG_TRANSPARENT_HUGEPAGE"};
    case Step::filesystem:
    case Step::mount:
      return {subject, "tmpfs cannot be mounted in a user namespace: " + error,
              "use Linux 5.2 or newer, outside a sandbox that forbids mounting"};
    case Step::file:
    case Step::none:
      break;
  }
  return {subject, "no file could be made in the tmpfs: " + error, "free memory"};
}

}  // namespace

File::~File() {
  if (descriptor_ >= 0) close(descriptor_);
}

Granted<File> file_in_own_tmpfs(char const* huge) {
  int sockets[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets) != 0) return refusal_of({Step::file, errno}, huge);
  File const ours(sockets[0]);
  Identity const identity;
  pid_t child = 0;
  {
    File const theirs(sockets[1]);
    child = fork();
    if (child == 0) make_file(theirs.get(), huge, identity);
  }
  if (child < 0) return refusal_of({Step::namespaces, errno}, huge);
  Answer answer;
  int const descriptor = receive(ours.get(), answer);
  while (waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
  if (descriptor < 0) return refusal_of(answer, huge);
  return File(descriptor);
}

}  // namespace folioscope
