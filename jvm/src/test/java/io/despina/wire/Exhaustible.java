package io.despina.wire;

import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;

/** An allocator that has memory until told otherwise. */
final class Exhaustible extends AbstractByteBufAllocator {
    static final String SAYS = "java.lang.OutOfMemoryError: no direct memory";

    boolean exhausted;

    @Override
    protected ByteBuf newHeapBuffer(int initial, int most) {
        if (exhausted) {
            throw new OutOfMemoryError("no direct memory");
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
