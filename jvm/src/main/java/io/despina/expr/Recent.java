package io.despina.expr;

import java.util.LinkedHashMap;
import java.util.Map;

/** The answers to the questions asked last. Thread-safe; a question asked twice at once may be worked out twice. */
public final class Recent<Q, A> {
    private final int most;
    /** Guarded by itself. */
    private final Map<Q, A> answers = new LinkedHashMap<>(16, 0.75f, true);

    /** @param most answers to keep */
    public Recent(int most) {
        this.most = most;
    }

    /** The answer, or null. */
    public A get(Q question) {
        synchronized (answers) {
            return answers.get(question);
        }
    }

    /** Keeps an answer, in the place of the one that was asked for longest ago. */
    public void put(Q question, A answer) {
        synchronized (answers) {
            answers.put(question, answer);
            if (answers.size() > most) {
                answers.remove(answers.keySet().iterator().next());
            }
        }
    }
}
