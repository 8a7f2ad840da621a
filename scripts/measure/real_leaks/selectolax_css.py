# SPDX-License-Identifier: Apache-2.0
"""Selectors of a parsed page are not freed."""
from resident import loop
from selectolax.lexbor import LexborHTMLParser

ROW = "<div class=c><a href='/x'>link</a></div>"
PAGE = "<html><body>" + ROW * 200 + "</body></html>"


def scrape(_):
    return len(LexborHTMLParser(PAGE).css("a"))  # leak


loop(6000, scrape)
