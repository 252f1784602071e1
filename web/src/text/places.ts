// Texts of the other views of a session: changes, files, overview, export, rewind.
import places from './en/places';
import { addEnglish } from './index';

addEnglish({ places });
