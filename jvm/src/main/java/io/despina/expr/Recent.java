package io.despina.expr;

import java.lang.ref.SoftReference;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The answers to the most recent questions, as long as memory permits. Thread-safe; a question asked twice at once may be
 * computed twice.
 */
public final class Recent<Q, A> {
    private final int most;
    /** Guarded by itself. */
    private final Map<Q, SoftReference<A>> answers = new LinkedHashMap<>(16, 0.75f, true);

    /** @param most answers to keep */
    public Recent(int most) {
        this.most = most;
    }

    /** The answer, or null if it is unknown or was dropped. */
    public A get(Q question) {
        synchronized (answers) {
            SoftReference<A> answer = answers.get(question);
            return answer == null ? null : answer.get();
        }
    }

    /** Keeps an answer, and drops the least recently used one if there are too many. */
    public void put(Q question, A answer) {
        synchronized (answers) {
            answers.put(question, new SoftReference<>(answer));
            if (answers.size() > most) {
                answers.remove(answers.keySet().iterator().next());
            }
        }
    }
}
