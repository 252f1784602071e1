export { Call } from './cards/Call';
export { CodeView, HeavyText, JsonTree, PictureView } from './cards/parts';
export { planOf, summarise, timeOf } from './cards/describe';
export { ItemView } from './items';
export * from './model';
export { Folds, FoldsProvider, observe, shortPath, TranscriptServicesProvider, useNow, useServices, type TranscriptServices } from './services';
export { Stream, type StreamHandle, type StreamProps } from './Stream';
export { TranscriptView, type TranscriptHandle, type TranscriptViewProps } from './TranscriptView';
