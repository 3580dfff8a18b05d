package io.despina.compare;

/** The relay's packets, each when it is due. */
public final class RelayFeeder implements Feeder {
    private final RelayPackets packets;
    private final Pace pace;
    private final byte[] reused;

    /**
     * Says that the source is here.
     *
     * @param reuse all packets are in one array, where the engine has taken what it needs when it asks for the next
     */
    public RelayFeeder(Settings settings, boolean reuse) {
        Presence.announce(settings, "source");
        packets = new RelayPackets(settings.number("packet_bytes"));
        pace = new Pace(settings.real("rate_per_s", 0));
        reused = reuse ? new byte[packets.packetBytes()] : null;
    }

    @Override
    public byte[] next() {
        long due = pace.take();
        if (due == Pace.NOT_YET) {
            return null;
        }
        byte[] packet = reused == null ? new byte[packets.packetBytes()] : reused;
        packets.next(packet, due);
        return packet;
    }

    @Override
    public boolean isDone() {
        return false;
    }

    @Override
    public long waitNanos() {
        return pace.waitNanos();
    }
}
