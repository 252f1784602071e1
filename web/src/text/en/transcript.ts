export default {
  taskDone: 'done',
  taskOpen: 'open',
} as const;
