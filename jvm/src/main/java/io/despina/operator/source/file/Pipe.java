package io.despina.operator.source.file;

import io.despina.wake.Waker;
import java.io.Closeable;
import java.io.IOException;

/** Bytes that another process sends, as far as they have arrived. */
public interface Pipe extends Closeable {

    /** Opens it. */
    interface Opener {
        /** @param source woken when bytes have come, or none follow */
        Pipe open(Waker source) throws IOException;
    }

    /**
     * Takes the bytes that are there, without waiting.
     *
     * @return how many; -1 if there are none now
     */
    int read(byte[] to, int from, int length) throws IOException;

    /** Whether all bytes were taken and none follow. */
    boolean hasEnded();
}
