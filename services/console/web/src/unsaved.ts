import { useEffect, useId } from 'react';

/** What leaving a page asks. */
export interface LeaveQuestion {
  readonly title: string;
  readonly children: string;
}

/** The questions of the page, by the parts of it that would lose something. */
export const leaveQuestions = new Map<string, LeaveQuestion>();

export const UNSAVED: LeaveQuestion = {
  title: 'Leave without saving?',
  children: 'What you have entered on this page will be lost.',
};

/** Leaving the page asks the question, which never changes, while it is given. The result stops that immediately. */
export function useLeaveQuestion(question: LeaveQuestion | undefined): () => void {
  const id = useId();
  const release = () => void leaveQuestions.delete(id);
  useEffect(() => {
    if (question !== undefined) leaveQuestions.set(id, question);
    return () => void leaveQuestions.delete(id);
  }, [id, question]);
  return release;
}
