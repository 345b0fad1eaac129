// Times in words, at the edges where they change.
import assert from "node:assert/strict";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";

import { buildSync } from "esbuild";

const outfile = join(mkdtempSync(join(tmpdir(), "sayso-time-")), "time.mjs");
buildSync({ entryPoints: [new URL("../src/shared/time.ts", import.meta.url).pathname], bundle: true, format: "esm", outfile });
const { relative, span } = await import(pathToFileURL(outfile));

const [SECOND, MINUTE, HOUR, DAY] = [1000, 60_000, 3_600_000, 86_400_000];
const NOW = Date.UTC(2026, 11, 1, 12);

for (const [away, said] of [
  [0, "now"], [-59 * SECOND, "now"], [40 * SECOND, "now"],
  [-MINUTE, "1 minute ago"], [-119 * SECOND, "1 minute ago"], [60 * SECOND, "in 1 minute"],
  [36 * MINUTE, "in 36 minutes"], [59.6 * MINUTE, "in 1 hour"], [-59.6 * MINUTE, "59 minutes ago"],
  [13 * HOUR, "in 13 hours"], [23.4 * HOUR, "in 23 hours"], [23.6 * HOUR, "in 1 day"], [-23.9 * HOUR, "23 hours ago"],
  [-25 * HOUR, "1 day ago"], [7 * DAY - MINUTE, "in 7 days"], [-7 * DAY + MINUTE, "6 days ago"],
]) {
  test(`${away} ms from now is said as "${said}"`, () => assert.equal(relative(NOW + away, NOW), said));
}

for (const [ms, said] of [
  [999, "999 ms"], [999.7, "1.0 s"], [59_960, "1 min"], [3_580_000, "1.0 h"], [86_390_000, "1.0 d"],
]) {
  test(`a span of ${ms} ms is ${said}`, () => assert.equal(span(ms), said));
}
