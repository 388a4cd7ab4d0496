/** The fields of Jest's JSON report that are used here. */
export interface Report {
  /** One entry per file. */
  readonly testResults: readonly FileReport[];
}

interface FileReport {
  readonly name: string;
  readonly status: 'passed' | 'failed' | 'focused';
  /** Empty if the file could not be executed. */
  readonly assertionResults: ReadonlyArray<{ readonly status: string; readonly fullName: string }>;
}

export function failedFiles(report: Report): string[] {
  return report.testResults.filter(({ status }) => status === 'failed').map(({ name }) => name);
}

/** @returns the names of the tests with this status */
export function testsWith(status: string, { testResults }: Report): string[] {
  const tests = testResults.flatMap(({ assertionResults }) => assertionResults);
  return tests.filter((test) => test.status === status).map(({ fullName }) => fullName);
}

/** @returns the first report, with the files of the second in place of the same files */
export function replaceFiles(first: Report, second: Report): Report {
  const again = new Map(second.testResults.map((file) => [file.name, file]));
  return { testResults: first.testResults.map((file) => again.get(file.name) ?? file) };
}

/**
 * Prints the names of skipped tests and, as the last line, `N passed, N failed`.
 * @param code the exit code of Jest
 * @param report null if Jest ended before it could write one
 * @returns the exit code of the run; in CI a skipped test fails it
 */
export function conclude(code: number, report: Report | null): number {
  const { testResults } = report ?? { testResults: [] };
  const skipped = testsWith('pending', { testResults });
  for (const name of skipped) console.log(`Skipped: ${name}`);
  const unexecuted = testResults.filter(
    ({ status, assertionResults }) => status === 'failed' && assertionResults.every((test) => test.status !== 'failed'),
  );
  const failed = testsWith('failed', { testResults }).length + unexecuted.length;
  const passed = testsWith('passed', { testResults }).length;
  // A run that failed without a failed test, for example because no test was found, counts as one failure.
  console.log(`${passed} passed, ${code !== 0 && failed === 0 ? 1 : failed} failed`);
  return skipped.length > 0 && process.env.CI ? 1 : code;
}
