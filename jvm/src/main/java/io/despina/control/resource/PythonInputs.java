package io.despina.control.resource;

import io.despina.control.coordinator.Feed;
import io.despina.control.protocol.Message;
import io.despina.link.Attempt;
import io.despina.operator.program.InputRows;
import io.despina.operator.program.LoggedRows;
import io.despina.packet.Schema;
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
    final class Inlet implements LoggedRows.Given {
        private final String operator;
        private final Deque<Message.Supply> waiting = new ArrayDeque<>();
        private boolean ended;
        /** Of the source's thread: what it took last. */
        private Message.Supply taken;
        /** Whether {@link #kept} is called for what it has taken. */
        private boolean isLogged;

        private Inlet(String operator) {
            this.operator = operator;
        }

        synchronized void add(Message.Supply supply) {
            if (supply.packets().length > 0) {
                waiting.add(supply);
            }
            ended |= supply.last();
        }

        /** The source keeps what it takes in a log, and tells when it is there. */
        InputRows logged(Schema schema, long mostBytes) {
            isLogged = true;
            return new LoggedRows(this, schema, mostBytes);
        }

        @Override
        public byte[] next() {
            synchronized (this) {
                taken = waiting.poll();
            }
            if (taken == null) {
                return null;
            }
            if (!isLogged) {
                kept(taken.first() + taken.rows());
            }
            return taken.packets();
        }

        @Override
        public long first() {
            return taken.first();
        }

        @Override
        public int rows() {
            return taken.rows();
        }

        @Override
        public void kept(long row) {
            coordinator.tell(new Message.Supplied(attempt, operator, row));
        }

        @Override
        public synchronized boolean hasEnded() {
            return ended && waiting.isEmpty();
        }
    }
}
