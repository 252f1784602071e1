// The less common forms, in one chunk that is loaded with the first request or soon after the start.
import '../text/forms';
export { Elicitation } from './Elicitation';
export { OtherAsk } from './OtherAsk';
export { PermissionAsk } from './PermissionAsk';
export { PlanReview } from './PlanReview';
export { QuestionForm } from './QuestionForm';
