package io.despina.operator.source.socket;

import io.despina.inflow.Received;
import io.despina.operator.source.inflow.RecentKeys;
import io.despina.state.State;
import java.util.zip.CRC32C;

/**
 * The keys of the requests that were taken last, and what was answered, so that a request that comes again is answered again and
 * not taken.
 */
final class RequestKeys {
    private static final char BETWEEN = ' ';

    /** Of each key: what the request's bytes add up to, and the answer. */
    private final RecentKeys answers = new RecentKeys(RecentKeys.USUAL);

    State state() {
        return answers;
    }

    /** Most that they take. */
    static long bytes() {
        return RecentKeys.bytes(RecentKeys.USUAL);
    }

    private static String sum(Received request) {
        CRC32C sum = new CRC32C();
        sum.update(request.bytes(), 0, request.length());
        return Long.toHexString(sum.getValue()) + BETWEEN + request.length();
    }

    /** The request has been taken. */
    void taken(Received request, String answer) {
        answers.put(request.key(), sum(request) + BETWEEN + answer);
    }

    /** Whether a request with that key was taken. */
    boolean has(String key) {
        return answers.get(key) != null;
    }

    /** What was answered to that request; null if another one had its key. */
    String answer(Received request) {
        String sum = sum(request) + BETWEEN;
        String known = answers.get(request.key());
        return known.startsWith(sum) ? known.substring(sum.length()) : null;
    }
}
