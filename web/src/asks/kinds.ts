// The forms that are not needed at every start; one file, fetched with the first ask of such a kind.
export { Elicitation } from './Elicitation';
export { OtherAsk } from './OtherAsk';
export { PlanReview } from './PlanReview';
export { QuestionForm } from './QuestionForm';
