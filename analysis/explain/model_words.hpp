// SPDX-License-Identifier: Apache-2.0
// The fitted model for programs and for people: its parameters with units and intervals, and how well it predicts what
// it has not seen.
#pragma once
#include <string>
#include <vector>

#include "explain/explain.hpp"

namespace folioscope {

/// An object a fitted setting; null without any.
Json model_json(Explanation const& explanation);
/// Of the held-out cells.
Json predictions_json(Explanation const& explanation);
/// {median, p90, cells} of both baselines, over all cells and where order matters.
Json baseline_errors_json(Explanation const& explanation);
/// {model, repeat, like_sequential, nearest_fitted_order} where the measured ratio is off 1 by more than 10 %.
Json where_order_matters_json(Explanation const& explanation);

/// How well it predicts, for the file as a whole; empty without hold-outs.
/// For each machine that has some; else Explanation::untested says why.
std::vector<std::string> prediction_sentences(Explanation const& explanation);
/// What errors over all hold-out cells, and over those where order matters, are worth; empty: nothing to warn of.
std::string worth_words(ModelErrors const& all, ModelErrors const& some);
/// The parameters of the campaign's most prominent setting; empty where nothing was fitted.
std::string parameter_sentence(Explanation const& explanation, std::size_t campaign);

}  // namespace folioscope
