package io.despina.operator.source;

/** Where the packets of an {@link InputSource} come from: a bounded queue that the user's program fills. */
public interface InputRows {

    /** Takes whole packets, one after the other, off the queue; null if none wait. Never blocks. */
    byte[] next();

    /** Whether nothing follows what {@link #next} gave: asked after it gave null. */
    boolean hasEnded();
}
