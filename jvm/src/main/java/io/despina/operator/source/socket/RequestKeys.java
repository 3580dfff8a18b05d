package io.despina.operator.source.socket;

import io.despina.inflow.Received;
import io.despina.state.NamedEntries;
import io.despina.state.State;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.zip.CRC32C;

/**
 * The keys of the requests that were taken last, and what was answered, so that a request that comes again is answered again and
 * not taken. A snapshot has those of its epoch; those of later requests come with these from the log.
 */
final class RequestKeys {
    private static final int MOST = 4096;
    private static final long BYTES = 256;
    private static final char BETWEEN = ' ';

    /** Of each key, oldest first: what the request's bytes add up to, and the answer. */
    private final Map<String, String> answers = new LinkedHashMap<>();
    private final NamedEntries state = new NamedEntries("keys", () -> new LinkedHashMap<>(answers));

    State state() {
        return state;
    }

    void restored() {
        state.restored().forEach(answers::putAll);
    }

    /** Most that they take. */
    static long bytes() {
        return MOST * BYTES;
    }

    private static String sum(Received request) {
        CRC32C sum = new CRC32C();
        sum.update(request.bytes(), 0, request.length());
        return Long.toHexString(sum.getValue()) + BETWEEN + request.length();
    }

    /** The request has been taken. */
    void taken(Received request, String answer) {
        answers.put(request.key(), sum(request) + BETWEEN + answer);
        if (answers.size() > MOST) {
            answers.remove(answers.keySet().iterator().next());
        }
    }

    /** Whether a request with that key was taken. */
    boolean has(String key) {
        return answers.containsKey(key);
    }

    /** What was answered to that request; null if another one had its key. */
    String answer(Received request) {
        String sum = sum(request) + BETWEEN;
        String known = answers.get(request.key());
        return known.startsWith(sum) ? known.substring(sum.length()) : null;
    }
}
