// SPDX-License-Identifier: Apache-2.0
//
// The program of a page: it reads the data that stands in the page, and shows a recording or a
// comparison of two.

import "uplot/dist/uPlot.min.css";
import "./style.css";
import {readData, type Data} from "./data";
import type {DiffData} from "./diff/diff_data";
import {showDiff} from "./diff/diff_page";
import {h, replace} from "./dom";
import {showRecording} from "./recording_page";
import {followSystem} from "./theme";

followSystem();
const page = document.getElementById("page")!;
readData<Data | DiffData>(document.getElementById("data")!.textContent.trim())
  .then((data) => (data.kind === "diff" ? showDiff(data, page) : showRecording(data, page)))
  .catch((error: unknown) => {
    replace(page, h("p.empty", {}, "This page cannot be shown: " + String(error)));
    throw error;
  });
