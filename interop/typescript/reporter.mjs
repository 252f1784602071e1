// A test reporter that prints one line per test, and 'N passed, N failed' at the end.
export default async function* reporter(source) {
  let passed = 0;
  let failed = 0;
  for await (const { type, data } of source) {
    if (type === 'test:stdout' || type === 'test:stderr') yield data.message;
    // The test of a file itself is only reported if the file cannot be loaded.
    if (data?.nesting !== 0 || (data.name === data.file && type === 'test:pass')) continue;
    if (type === 'test:pass') {
      passed += 1;
      yield `ok     ${data.name} (${(data.details.duration_ms / 1000).toFixed(1)} s)\n`;
    } else if (type === 'test:fail') {
      failed += 1;
      yield `FAILED ${data.name}\n${data.details.error?.cause?.stack ?? data.details.error}\n`;
    }
  }
  yield `${passed} passed, ${failed} failed\n`;
}
