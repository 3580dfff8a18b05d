package io.despina.placement;

import io.despina.placement.Workload.Flow;
import io.despina.placement.Workload.Piece;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** What a placement makes of machines and ways. Pieces are put, and put elsewhere, one by one. */
final class Loads {
    static final int NOWHERE = -1;
    /** What sending a byte to another machine costs there and here: 0.37 to 0.54 ns by docs/design/012. */
    private static final double NANOS_PER_BYTE = 0.5;
    private static final double NANOS_PER_S = 1e9;
    /** A share of which so much is used counts as much as if every byte travelled the longest way. */
    private static final double ENOUGH = 0.5;
    /** Greater ones count as this one, of which the high power is a number too. */
    private static final double MOST_SHARE = 1e8;

    private final Workload work;
    private final Park park;
    private final List<List<Flow>> flowsOf = new ArrayList<>();
    /** The most that {@link #travelled} can be. */
    private final double farthest;
    private final int[] at;
    /** By machine: processors that are busy. */
    private final double[] busy;
    /** By machine and machine: bytes per second from the one to the other. */
    private final double[][] sent;
    /** Bytes that are on their way between machines. */
    private double travelled;

    Loads(Workload work, Park park) {
        this.work = work;
        this.park = park;
        int machines = park.machines().size();
        at = new int[work.pieces().size()];
        Arrays.fill(at, NOWHERE);
        busy = new double[machines];
        sent = new double[machines][machines];
        work.pieces().forEach(each -> flowsOf.add(new ArrayList<>()));
        work.flows().forEach(flow -> {
            flowsOf.get(flow.from()).add(flow);
            flowsOf.get(flow.to()).add(flow);
        });
        double longest = park.ways().stream().flatMap(List::stream).filter(each -> each != null)
                .mapToDouble(Park.Way::roundTripMillis).max().orElse(0);
        farthest = Math.max(Double.MIN_NORMAL, longest * work.flows().stream().mapToDouble(Flow::bytesPerS).sum());
    }

    /** Where each piece is. */
    int[] places() {
        return at.clone();
    }

    int place(int piece) {
        return at[piece];
    }

    /** Puts a piece on a machine, or takes it away: {@link #NOWHERE}. */
    void put(int piece, int machine) {
        add(piece, at[piece], -1);
        at[piece] = machine;
        add(piece, machine, 1);
    }

    private void add(int piece, int machine, int sign) {
        if (machine == NOWHERE) {
            return;
        }
        busy[machine] += sign * work.pieces().get(piece).busy() * slowness(machine);
        for (Flow flow : flowsOf.get(piece)) {
            int from = flow.from() == piece ? machine : at[flow.from()];
            int to = flow.to() == piece ? machine : at[flow.to()];
            if (from != NOWHERE && to != NOWHERE && from != to) {
                double bytes = sign * flow.bytesPerS();
                sent[from][to] += bytes;
                busy[from] += bytes * NANOS_PER_BYTE / NANOS_PER_S * slowness(from);
                busy[to] += bytes * NANOS_PER_BYTE / NANOS_PER_S * slowness(to);
                travelled += bytes * park.way(from, to).roundTripMillis();
            }
        }
    }

    private double slowness(int machine) {
        return park.machines().get(machine).slowness();
    }

    /** Processors that are busy. */
    double busy(int machine) {
        return busy[machine];
    }

    double bytesPerS(int from, int to) {
        return sent[from][to];
    }

    /** The share of a machine's processors that are busy. */
    double share(int machine) {
        return busy[machine] / park.machines().get(machine).cpus();
    }

    /** The share of a way that is used in that direction. */
    double share(int from, int to) {
        return from == to ? 0 : sent[from][to] / park.way(from, to).bytesPerS();
    }

    /** The share of its time for which the task of a piece is busy, where it is. */
    double busyOf(int piece) {
        Piece its = work.pieces().get(piece);
        return at[piece] == NOWHERE ? 0 : its.busy() * slowness(at[piece]);
    }

    /** The greatest share of all: what comes could be one divided by it times as much. */
    double greatest() {
        double greatest = 0;
        for (int piece = 0; piece < at.length; piece++) {
            greatest = Math.max(greatest, busyOf(piece));
        }
        for (int from = 0; from < busy.length; from++) {
            greatest = Math.max(greatest, share(from));
            for (int to = 0; to < busy.length; to++) {
                greatest = Math.max(greatest, share(from, to));
            }
        }
        return greatest;
    }

    /**
     * How bad the placement is: a high power of each share, so that the greatest ones decide as long as one is above a half, and
     * the part of all bytes that travels, weighed by how far, which decides where none is.
     */
    double pain() {
        double pain = travelled / farthest;
        for (int piece = 0; piece < at.length; piece++) {
            pain += pain(busyOf(piece));
        }
        for (int from = 0; from < busy.length; from++) {
            pain += pain(share(from));
            for (int to = 0; to < busy.length; to++) {
                pain += pain(share(from, to));
            }
        }
        return pain;
    }

    /** Its 32nd power. */
    private static double pain(double share) {
        double x = Math.min(Math.max(share, 0), MOST_SHARE) / ENOUGH;
        x *= x;
        x *= x;
        x *= x;
        x *= x;
        return x * x;
    }
}
