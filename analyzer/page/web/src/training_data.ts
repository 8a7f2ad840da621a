// SPDX-License-Identifier: Apache-2.0
//
// What the memory of a training is for, as analyzer/training/training_json.cpp writes it.

export interface TrainingLine {
  text: string;  // as in Data.rows
}

export interface TrainingSum {
  bytes: number;
  blocks: number;
}

export interface TrainingKind extends TrainingSum {
  kind: string;
  all_lines: number;
  lines: (TrainingLine & TrainingSum)[];  // those with most bytes
}

export interface TrainingStep {
  step: number;
  bytes_at_end: Record<string, number>;  // by kind
  most_bytes: number;
  made_bytes: number;
  given_back_bytes: number;
}

export interface TrainingModule {
  class: string;
  file: string;
  layers: number | null;  // modules of this class; null: not known
  bytes: number;
  kinds: Record<string, number>;
}

export interface TrainingSpace {
  space: string;
  peak_time_ns: number;
  peak_bytes: number;
  tensor_bytes: number;
  part: string;  // "in the backward pass of step 2 of 40"
  line: TrainingLine | null;
  kinds: TrainingKind[];
  modules: TrainingModule[];
  all_modules: number;
  steps: {rows: TrainingStep[];
          grown: {kind: string; bytes: number; bytes_per_step: number}[]};
}

// The sentence is `before`, the line, and `after`.
export interface TrainingAdvice {
  rule: string;
  bytes: number;
  before: string;
  line: TrainingLine | null;
  after: string;
  link: string;
}

export interface TrainingData {
  backward_passes: number;
  loop: string;
  steps: number;  // 0: not known; backward passes stand for them
  why_no_steps: string;
  tensors_left_out: number;
  has_module_names: boolean;
  is_of_arrays: boolean;  // of JAX or TensorFlow: no backward passes, modules, advice
  limits: string[];       // what cannot be known of them, in sentences
  kinds: {kind: string; name: string; what: string}[];
  spaces: TrainingSpace[];
  advice: TrainingAdvice[];
}
