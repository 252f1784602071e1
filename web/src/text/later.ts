// The words of the panels beside a conversation. The parts that show them import this; a test sees to it that nothing the
// first load holds needs them.
import panels from './en/panels';
import { addEnglish } from './index';

addEnglish({ panels });
