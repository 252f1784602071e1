export { createAct, reason, type Act } from './act';
export { Dock, type DockHandle, type DockProps } from './Dock';
export { Gate, sessionStanding, StandingLine, type GateActions, type GateProps } from './Gate';
export { askWords, standingOf, toolWords, windowTitle, type Circumstances, type Standing } from './standing';
export { Hydrograph, StateGlyph } from '../ui';
