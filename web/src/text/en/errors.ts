export default {
  timeout: 'The bridge did not answer in time. Whether it had an effect shows in the conversation.',
  decided: 'Already decided by {who} at {time}.',
  someone: 'someone',
  scope: 'This device may not do that.',
  storage: 'The bridge cannot write to its disk. Nothing was done.',
} as const;
