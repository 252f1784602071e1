// The basic components, for the gallery.
import { createSignal, For, type JSX } from 'solid-js';
import {
  Badge,
  Button,
  Checkbox,
  CopyButton,
  Dialog,
  Disclosure,
  Field,
  Hydrograph,
  Icon,
  IconButton,
  iconNames,
  Input,
  Menu,
  Popover,
  Progress,
  Radio,
  Segmented,
  Select,
  SplitPane,
  StateGlyph,
  Switch,
  Tabs,
  TextArea,
  toast,
  type GlyphShape,
} from '../ui';

export function Parts(): JSX.Element {
  return (
    <main class="sheet">
      <header>
        <h1>Parts</h1>
      </header>
      <div class="cols2">
        <div class="col">
          <Buttons />
          <Ticks />
          <Fields />
          <Layers />
        </div>
        <div class="col">
          <States />
          <Icons />
          <Containers />
          <Panes />
        </div>
      </div>
    </main>
  );
}

function Buttons(): JSX.Element {
  return (
    <figure class="fig">
      <figcaption>Buttons</figcaption>
      <div class="row wrap">
        <Button look="primary" hotkey="Ctrl Enter">
          Primary
        </Button>
        <Button>Quiet</Button>
        <Button look="bare" icon="undo">
          Bare
        </Button>
        <Button disabled>Off</Button>
        <Button tone="bad">Remove</Button>
        <Button small>Small</Button>
        <IconButton icon="side" label="Panel" hotkey="\" />
        <CopyButton text={() => 'x'} />
      </div>
    </figure>
  );
}

function Ticks(): JSX.Element {
  const [on, setOn] = createSignal(true);
  const [seg, setSeg] = createSignal<'a' | 'b'>('a');
  return (
    <figure class="fig">
      <figcaption>Chips, switches, ticks</figcaption>
      <div class="row wrap">
        <Badge>neutral</Badge>
        <Badge tone="run">running</Badge>
        <Badge tone="ask">needs you</Badge>
        <Badge tone="bad">failed</Badge>
        <Badge tone="ok">done</Badge>
        <Badge tone="other">subagent</Badge>
        <Switch checked={on()} onChange={setOn} label="Switch" />
        <Switch checked={!on()} onChange={(v) => setOn(!v)} label="Other switch" />
        <Checkbox checked={on()} onChange={setOn}>
          Tick
        </Checkbox>
        <Radio name="r" value="a" checked={seg() === 'a'} onChange={() => setSeg('a')}>
          One
        </Radio>
        <Radio name="r" value="b" checked={seg() === 'b'} onChange={() => setSeg('b')}>
          Two
        </Radio>
      </div>
    </figure>
  );
}

function Fields(): JSX.Element {
  const [seg, setSeg] = createSignal<'a' | 'b'>('a');
  const [text, setText] = createSignal('ops at tidepool');
  return (
    <figure class="fig">
      <figcaption>Fields</figcaption>
      <div class="col">
        <Field label="Database" required>
          {(a) => (
            <Select
              {...a}
              value={seg()}
              options={[
                { value: 'a', label: 'tidepool_dev' },
                { value: 'b', label: 'tidepool_test' },
              ]}
              onChange={setSeg}
            />
          )}
        </Field>
        <Field label="Contact" error="Not an e-mail address.">
          {(a) => <Input {...a} value={text()} onInput={(e) => setText(e.currentTarget.value)} />}
        </Field>
        <Field label="Words" hint="Goes to the model.">
          {(a) => <TextArea {...a} rows={2} />}
        </Field>
        <Segmented
          label="Mode"
          value={seg()}
          options={[
            { value: 'a', label: 'Unified' },
            { value: 'b', label: 'Split' },
          ]}
          onChange={setSeg}
        />
      </div>
    </figure>
  );
}

function Layers(): JSX.Element {
  const [open, setOpen] = createSignal(false);
  return (
    <figure class="fig">
      <figcaption>Menu, popover, dialog, toast</figcaption>
      <div class="row wrap">
        <Menu
          label="Actions"
          align="start"
          items={() => [
            { label: 'Deny', hotkey: 'Esc', onSelect: () => undefined },
            { label: 'Deny and stop the turn', hotkey: 'Shift Esc', onSelect: () => undefined },
            'separator',
            { label: 'Remove', bad: true, onSelect: () => undefined },
          ]}
          trigger={(a) => <Button {...a}>Menu</Button>}
        />
        <Popover label="Panel" trigger={(a) => <Button {...a}>Popover</Button>}>
          <p>Anything.</p>
          <Button small>Inside</Button>
        </Popover>
        <Button onClick={() => setOpen(true)}>Dialog</Button>
        <Button onClick={() => toast('Archived', { action: { label: 'Undo', run: () => undefined } })}>Toast</Button>
      </div>
      <Dialog
        open={open()}
        onClose={() => setOpen(false)}
        title="Rewind to before turn 3"
        footer={
          <>
            <Button look="primary" onClick={() => setOpen(false)}>
              Rewind
            </Button>
            <Button look="bare" onClick={() => setOpen(false)}>
              Cancel
            </Button>
          </>
        }
      >
        <p>3 files go back, 2 turns leave the conversation.</p>
        <Field label="Title">{(a) => <Input {...a} />}</Field>
      </Dialog>
    </figure>
  );
}

function States(): JSX.Element {
  const shapes: GlyphShape[] = ['idle', 'unread', 'starting', 'flow', 'down', 'still', 'broken', 'dots'];
  return (
    <figure class="fig">
      <figcaption>States</figcaption>
      <div class="row wrap">
        <For each={shapes}>
          {(shape) => (
            <span class="row">
              <StateGlyph shape={shape} large />
              {shape}
            </span>
          )}
        </For>
        <Hydrograph values={[3, 2, 0, 0, 4, 9, 3, 0, 1]} />
      </div>
    </figure>
  );
}

function Icons(): JSX.Element {
  return (
    <figure class="fig">
      <figcaption>Icons</figcaption>
      <div class="row wrap">
        <For each={iconNames}>
          {(name) => (
            <span title={name}>
              <Icon name={name} />
            </span>
          )}
        </For>
      </div>
    </figure>
  );
}

function Containers(): JSX.Element {
  const [seg, setSeg] = createSignal<'a' | 'b'>('a');
  return (
    <figure class="fig">
      <figcaption>Tabs, disclosure, progress</figcaption>
      <Tabs
        label="Tabs"
        value={seg()}
        onChange={setSeg}
        tabs={[
          { id: 'a', label: 'Transcript' },
          { id: 'b', label: 'Changes' },
        ]}
      >
        <p class="pad">{seg()}</p>
      </Tabs>
      <Disclosure title={<h2>Tasks</h2>} figure="2 of 6" open>
        <p>Inside</p>
      </Disclosure>
      <Progress value={1204} max={3877} label="Catching up" />
    </figure>
  );
}

function Panes(): JSX.Element {
  return (
    <figure class="fig">
      <figcaption>Panes</figcaption>
      <SplitPane left={<p class="pad">left</p>} right={<p class="pad">right</p>} />
    </figure>
  );
}
