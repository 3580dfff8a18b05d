package io.despina.opcua;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.eclipse.milo.opcua.stack.core.StatusCodes;

/** Asks a server about many things, as many at once as it takes, and does not believe that it answers as many. */
final class Batches {
    private static final int FIRST = 1_000;
    private static final Set<Long> TOO_MANY = Set.of(StatusCodes.Bad_TooManyOperations, StatusCodes.Bad_EncodingLimitsExceeded,
            StatusCodes.Bad_RequestTooLarge, StatusCodes.Bad_ResponseTooLarge);

    /** A question about some of them. */
    interface Question<T, R> {
        /** @return answers in the same order; null for none */
        R[] ask(List<T> some) throws IOException, InterruptedException;
    }

    private int size = FIRST;

    /** The answers, in the same order. */
    <T, R> List<R> ask(List<T> all, Question<T, R> question) throws IOException, InterruptedException {
        List<R> answers = new ArrayList<>(all.size());
        while (answers.size() < all.size()) {
            int end = Math.min(answers.size() + size, all.size());
            try {
                answers.addAll(counted(question.ask(all.subList(answers.size(), end)), end - answers.size()));
            } catch (FaultException fault) {
                if (size == 1 || !TOO_MANY.contains(fault.code())) {
                    throw fault;
                }
                size = Math.max(1, Math.min(size, end - answers.size()) / 2);
            }
        }
        return answers;
    }

    /** The answer to a question about one thing. */
    static <R> R only(R[] answers) throws IOException {
        return counted(answers, 1).get(0);
    }

    private static <R> List<R> counted(R[] answers, int asked) throws IOException {
        int came = answers == null ? 0 : answers.length;
        if (came != asked) {
            throw new IOException("the server was asked about " + asked + ", and its answer is about " + came);
        }
        return Arrays.asList(answers);
    }
}
