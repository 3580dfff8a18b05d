package io.despina.operator.window;

import io.despina.expr.Aggregation;
import io.despina.state.SnapshotException;
import io.despina.state.ValueFormat;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** The sessions of one group that have not given their last rows, by their starts; they do not touch each other. */
final class FiredSessions {
    private static final int OBJECT_BYTES = 64;

    final List<Session> sessions = new ArrayList<>(1);
    /** For when the group is queued; {@link Long#MAX_VALUE} if it is not. No part of the state. */
    long due = Long.MAX_VALUE;

    /** From its first packet to its last one. */
    static final class Session {
        private static final int OBJECT_BYTES = 40;

        final FiredGroup group;
        long first;
        long last;

        Session(FiredGroup group, long first, long last) {
            this.group = group;
            this.first = first;
            this.last = last;
        }

        void reaches(long time) {
            first = Math.min(first, time);
            last = Math.max(last, time);
        }
    }

    /** The index of the first session that a packet touches, or that begins after it. */
    int indexOf(long time, long gap) {
        int k = 0;
        while (k < sessions.size() && sessions.get(k).last + gap <= time) {
            k++;
        }
        return k;
    }

    /** Whether the session of that index is there, and a packet touches it. */
    boolean touches(int k, long time, long gap) {
        return k < sessions.size() && sessions.get(k).last + gap > time && sessions.get(k).first < time + gap;
    }

    record Format(Aggregation aggregation, FiredGroup.Format groups) implements ValueFormat<FiredSessions> {
        Format(Aggregation aggregation) {
            this(aggregation, new FiredGroup.Format(aggregation));
        }

        @Override
        public String schema() {
            return "sessions of " + groups.schema();
        }

        @Override
        public void write(FiredSessions value, DataOutput out) throws IOException {
            out.writeInt(value.sessions.size());
            for (Session session : value.sessions) {
                out.writeLong(session.first);
                out.writeLong(session.last);
                groups.write(session.group, out);
            }
        }

        @Override
        public FiredSessions read(DataInput in) throws IOException {
            int n = in.readInt();
            if (n < 1) {
                throw new SnapshotException("a group has " + n + " sessions");
            }
            FiredSessions value = new FiredSessions();
            for (int k = 0; k < n; k++) {
                long first = in.readLong();
                long last = in.readLong();
                value.sessions.add(new Session(groups.read(in), first, last));
            }
            return value;
        }

        @Override
        public long bytes(FiredSessions value) {
            long bytes = OBJECT_BYTES;
            for (Session session : value.sessions) {
                bytes += Session.OBJECT_BYTES + groups.bytes(session.group);
            }
            return bytes;
        }
    }
}
