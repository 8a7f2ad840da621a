// SPDX-License-Identifier: Apache-2.0
//
// What a space held over time, in slices: the least and the most within each. Nothing is drawn that
// was not so: a slice is a box from its begin to its end, and no slope leads from one to the next.
//
//   10 MB  ┌───┐       ┌───┐     the most in a slice
//          │░░░│       │░░░│     ░: held in a part of it
//    2 MB  │░░░└───────┘░░░│
//    0 MB  └               └     the least in it: equal to the most while nothing changes

import type {Data} from "./data";
import {h} from "./dom";
import type {Profile, Space} from "./profile";

export interface Course {
  times: number[];    // borders of the slices, in nanoseconds: one more than there are slices
  lowest: number[];   // bytes, by slice
  highest: number[];
}

function sums(differences: number[]): number[] {
  let sum = 0;
  return differences.map((difference) => (sum += difference));
}

// Without a course of its own, the borders of the histories and the peak are all that is known.
function courseOfBorders(profile: Profile, space: Space): Course {
  const held = Array.from(space.history.dense(profile.last));
  const lowest = held.slice(1).map((bytes, i) => Math.min(bytes, held[i]));
  const highest = held.slice(1).map((bytes, i) => Math.max(bytes, held[i]));
  const {from: peak} = profile.sliceAt(space.data.peak_ns);
  highest[peak] = Math.max(highest[peak], space.data.peak_bytes);
  return {times: Array.from(profile.borders), lowest, highest};
}

// Returns null if the recording has no course.
export function courseOf(profile: Profile, space: Space): Course | null {
  const {no_course: why, course_ends: ends} = profile.data;
  if (why !== "") return null;
  const {course} = space.data;
  if (course === null) return courseOfBorders(profile, space);
  return {times: sums(ends), lowest: sums(course.lowest), highest: sums(course.highest)};
}

// What the drawing of a course means.
export function courseNote({no_course: why, course_ends: ends}: Data): HTMLElement {
  const text = why !== "" ? why
    : ends.length > 0 ? "A band reaches from the least to the most that was held within a slice."
    : "A band has what was held at both ends of a slice, and the peak; what else was held within " +
      "it is not known here.";
  return h("p.note", {id: "course"}, text);
}
