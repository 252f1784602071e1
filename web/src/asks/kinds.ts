// The forms that are not needed at every start; one file, fetched with the first ask or soon after the start.
import '../text/forms';
export { EditInput } from './EditInput';
export { Elicitation } from './Elicitation';
export { OtherAsk } from './OtherAsk';
export { PermissionAsk } from './PermissionAsk';
export { PlanReview } from './PlanReview';
export { QuestionForm } from './QuestionForm';
