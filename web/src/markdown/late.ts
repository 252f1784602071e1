// Compiles a regular expression of marked on first use. Marked creates all its rules when it is loaded, including those
// of unused grammars, and compiling the large ones takes longer than the rest of the page. The build replaces `new
// RegExp` in marked by this (`vite.config.ts`).

class LateRule {
  private compiled: RegExp | undefined;
  constructor(
    readonly source: string,
    readonly flags: string,
  ) {}
  private get rule(): RegExp {
    return (this.compiled ??= new RegExp(this.source, this.flags));
  }
  get lastIndex(): number {
    return this.rule.lastIndex;
  }
  set lastIndex(at: number) {
    this.rule.lastIndex = at;
  }
  exec(text: string): RegExpExecArray | null {
    return this.rule.exec(text);
  }
  test(text: string): boolean {
    return this.rule.test(text);
  }
  [Symbol.match](text: string): RegExpMatchArray | null {
    return this.rule[Symbol.match](text);
  }
  [Symbol.matchAll](text: string): RegExpStringIterator<RegExpMatchArray> {
    return this.rule[Symbol.matchAll](text);
  }
  [Symbol.replace](text: string, by: string & ((...found: string[]) => string)): string {
    return this.rule[Symbol.replace](text, by);
  }
  [Symbol.search](text: string): number {
    return this.rule[Symbol.search](text);
  }
  [Symbol.split](text: string, most?: number): string[] {
    return this.rule[Symbol.split](text, most);
  }
}

export const lateRule = (source: string, flags: string): LateRule => new LateRule(source, flags);
