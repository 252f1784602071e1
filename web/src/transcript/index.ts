export { Call } from './cards/Call';
export { summarise, textOfTarget, timeOf } from './cards/summary';
export { ItemView } from './items';
export * from './model';
export { Folds, FoldsProvider, observe, shortPath, TranscriptServicesProvider, useNow, useServices, type TranscriptServices } from './services';
export { Stream, type StreamHandle, type StreamProps } from './Stream';
export { TranscriptView, type TranscriptHandle, type TranscriptViewProps } from './TranscriptView';
