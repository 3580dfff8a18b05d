package io.despina.control.resource;

import io.despina.control.coordinator.Feed;
import io.despina.control.protocol.Message;
import io.despina.link.Attempt;
import io.despina.operator.source.InputRows;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Packets from Python for a job's sources in this resource that are not taken yet; {@link Feed} bounds them. */
public final class PythonInputs {
    private final Attempt attempt;
    private final ToCoordinator coordinator;
    private final Map<String, Inlet> inlets = new ConcurrentHashMap<>();

    PythonInputs(Attempt attempt, ToCoordinator coordinator) {
        this.attempt = attempt;
        this.coordinator = coordinator;
    }

    /** The queue of that source. */
    public Inlet of(String operator) {
        return inlets.computeIfAbsent(operator, Inlet::new);
    }

    /** One source's queue: messages fill it, and the source's thread takes packets. */
    final class Inlet implements InputRows {
        private final String operator;
        private final Deque<byte[]> waiting = new ArrayDeque<>();
        private boolean ended;

        private Inlet(String operator) {
            this.operator = operator;
        }

        synchronized void add(Message.Supply supply) {
            if (supply.packets().length > 0) {
                waiting.add(supply.packets());
            }
            ended |= supply.last();
        }

        @Override
        public byte[] next() {
            byte[] packets;
            synchronized (this) {
                packets = waiting.poll();
            }
            if (packets != null) {
                coordinator.tell(new Message.Supplied(attempt, operator, packets.length));
            }
            return packets;
        }

        @Override
        public synchronized boolean hasEnded() {
            return ended && waiting.isEmpty();
        }
    }
}
