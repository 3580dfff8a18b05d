package io.despina.wire;

import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;

/** An allocator that has memory until told otherwise. */
final class Exhaustible extends AbstractByteBufAllocator {
    static final String SAYS = "java.lang.Error: no direct memory";

    boolean exhausted;

    @Override
    protected ByteBuf newHeapBuffer(int initial, int most) {
        if (exhausted) {
            // not as an OutOfMemoryError, with which JUnit ends too
            throw new Error("no direct memory");
        }
        return UnpooledByteBufAllocator.DEFAULT.heapBuffer(initial, most);
    }

    @Override
    protected ByteBuf newDirectBuffer(int initial, int most) {
        return newHeapBuffer(initial, most);
    }

    @Override
    public boolean isDirectBufferPooled() {
        return false;
    }
}
