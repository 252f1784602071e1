// The forms that are not needed at every start; one file, fetched with the first ask of such a kind.
import '../text/forms';
export { Elicitation } from './Elicitation';
export { OtherAsk } from './OtherAsk';
export { PlanReview } from './PlanReview';
export { QuestionForm } from './QuestionForm';
