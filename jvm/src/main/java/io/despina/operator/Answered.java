package io.despina.operator;

/**
 * An operator whose packets are answered later, by somebody else. Who runs it in steps, outside of a task, asks it how far it is:
 * it says so when nothing is left to be read from its outputs.
 */
public interface Answered extends Operator {

    /**
     * Whether all that the watermark has passed is answered, and has left. If not, the operator is woken
     * ({@link OperatorContext#wake}) when {@link #timer} has something to do.
     */
    boolean isAnswered();

    /**
     * When the first of the packets that wait for the watermark, or of its timers, is due: in microseconds since 1970, or
     * {@code NEVER}. Asked when all is answered.
     */
    long nextMoment();

    /** Whether it keeps nothing, as one that has just been opened. Asked when all is answered. */
    boolean isBlank();
}
