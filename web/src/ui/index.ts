export { announce, installRegions } from './announce';
export { Button, IconButton, LinkButton, type ButtonProps, type IconButtonProps } from './Button';
export {
  Checkbox,
  Field,
  Input,
  Radio,
  Segmented,
  Select,
  Switch,
  TextArea,
  type FieldAttributes,
  type FieldProps,
  type Option,
  type SelectProps,
} from './Choice';
export { Dialog, type DialogProps } from './Dialog';
export { Icon, iconNames, type IconName } from './Icon';
export { Kbd } from './Kbd';
export { Menu, menuIsOpen, Popover, type MenuEntry, type MenuItem, type MenuProps, type PopoverProps, type TriggerAttributes } from './Menu';
export { Badge, copyText, CopyButton, Disclosure, Path, Problem, Progress, SplitPane, type DisclosureProps, type Tone } from './parts';
export { place } from './place';
export { Hydrograph, StateGlyph, type GlyphShape, type StateGlyphProps } from './StateGlyph';
export { Tabs, type Tab } from './Tabs';
export { dismissToast, toast, Toasts, type ToastOptions } from './Toast';
export { tooltip } from './Tooltip';
