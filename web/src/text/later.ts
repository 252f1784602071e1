// Texts of the panels. The modules that need them import this; a test checks that nothing in the initial load does.
import panels from './en/panels';
import { addEnglish } from './index';

addEnglish({ panels });
