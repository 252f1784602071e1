export default {
  timeout: 'The bridge did not respond in time. The conversation shows whether the command took effect.',
  decided: 'Already decided by {who} at {time}.',
  someone: 'someone',
  scope: 'This device does not have the required scope.',
  storage: 'The bridge cannot write to its disk. Nothing was changed.',
} as const;
