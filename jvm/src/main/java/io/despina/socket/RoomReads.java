package io.despina.socket;

import io.despina.inflow.Inflow;
import io.netty.channel.DefaultMaxMessagesRecvByteBufAllocator;

/** How much is read from a socket at once: next to nothing when the source has no room, however many sockets there are. */
final class RoomReads extends DefaultMaxMessagesRecvByteBufAllocator {
    /** A socket that is read just when the room ends still brings so many bytes, at most. */
    private static final int LEAST_READ = 256;
    /** Netty keeps buffers up to this size for the thread that released them. */
    private static final int READ = 32 << 10;

    private final Inflow<?> inflow;

    RoomReads(Inflow<?> inflow) {
        super(1);
        this.inflow = inflow;
    }

    @Override
    public ExtendedHandle newHandle() {
        return new MaxMessageHandle() {
            @Override
            public int guess() {
                return inflow.hasRoom() ? READ : LEAST_READ;
            }
        };
    }
}
