export { Composer, type ComposerHandle, type ComposerProps } from './Composer';
export { Queue, type QueueProps } from './Queue';
export { Selectors } from './Selectors';
