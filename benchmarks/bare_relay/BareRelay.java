/**
 * The ceiling: source → relay → sink over two TCP hops by blocking NIO, with no engine. Packets of a fixed size are made, copied
 * and verified one by one, exactly as the engine's relay packets ({@link Packets}).
 *
 * <p>Two processes. {@code relay PACKET_BYTES} prints its port and relays one connection to the next, in one thread;
 * {@code handoff PACKET_BYTES} does so in two, one that reads and one that writes. {@code ends PACKET_BYTES RELAY_PORT RELAY_PID
 * WARM_UP_S SECONDS PER_S} is source and sink, and prints one line of JSON; PER_S 0 is flat out, else latency is measured from
 * due times. With {@code -Dunpaced=true} connections are not paced, whatever the system's congestion control.
 */
public final class BareRelay {
    private BareRelay() {
    }

    public static void main(String[] args) throws Exception {
        int packetBytes = Integer.parseInt(args[1]);
        switch (args[0]) {
            case "relay" -> new Relay(packetBytes).inOneThread();
            case "handoff" -> new Relay(packetBytes).inTwoThreads();
            case "ends" -> new Ends(packetBytes, Double.parseDouble(args[6])).run(Integer.parseInt(args[2]),
                    Long.parseLong(args[3]), Double.parseDouble(args[4]), Double.parseDouble(args[5]));
            default -> throw new IllegalArgumentException("relay, handoff or ends, not " + args[0]);
        }
    }
}
