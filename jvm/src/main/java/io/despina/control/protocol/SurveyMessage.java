package io.despina.control.protocol;

import io.despina.placement.Loops;

/** The messages by which a resource says what its machine can do. */
public interface SurveyMessage extends Message {

    /** To a resource: measure that, once, and answer with {@link Surveyed}. */
    record Survey() implements SurveyMessage {
    }

    /** From a resource. @param cpus processors on which it may run */
    record Surveyed(int cpus, Loops loops) implements SurveyMessage {
    }

    /** To a resource: measure what is between it and another one, whose data port is there, once; answer with {@link Reached}. */
    record Reach(String peer, String host, int port) implements SurveyMessage {
    }

    /** From a resource. @param mbitPerS in that direction; 0 if it could not reach the other one, for a reason in words */
    record Reached(String peer, double mbitPerS, double roundTripMillis, String why) implements SurveyMessage {
    }
}
