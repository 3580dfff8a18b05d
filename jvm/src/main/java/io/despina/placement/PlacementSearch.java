package io.despina.placement;

import io.despina.placement.Workload.Flow;
import io.despina.placement.Workload.Piece;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/**
 * Looks for a good place for each piece. It begins in several ways, and from each moves pieces as long as that helps: one alone,
 * two between which something flows, all instances of one operator, or two that change their places. Then it throws some pieces
 * of the best placement about and tries again. Those that share a process are moved as one. Equal facts have equal answers.
 */
final class PlacementSearch {
    private static final int MOST_TRIES = 200_000;
    private static final int THROWS = 20;
    private static final int THROWN = 3;
    /** What is not better by more than this may be a matter of rounding. */
    private static final double BETTER = 1 - 1e-9;

    private final Workload work;
    private final int machines;
    private final Loads loads;
    /** Pieces that are free, each with those that share its process. */
    private final List<int[]> units = new ArrayList<>();
    /** By piece; null for one that is not free. */
    private final int[][] unitOf;
    private final List<int[]> groups = new ArrayList<>();
    private int tries;
    private int[] best;
    private double least = Double.POSITIVE_INFINITY;

    private PlacementSearch(Workload work, Park park) {
        this.work = work;
        machines = park.machines().size();
        loads = new Loads(work, park);
        unitOf = new int[work.pieces().size()][];
        work.together().stream().filter(all -> all.stream().allMatch(this::isFree))
                .forEach(all -> add(all.stream().mapToInt(Integer::intValue).toArray()));
        int[] free = IntStream.range(0, unitOf.length).filter(this::isFree).toArray();
        IntStream.of(free).filter(piece -> unitOf[piece] == null).forEach(piece -> add(new int[] {piece}));
        groups.addAll(units);
        for (Flow flow : work.flows()) {
            if (isFree(flow.from()) && isFree(flow.to())) {
                groups.add(whole(IntStream.of(flow.from(), flow.to())));
            }
        }
        for (int piece : free) {
            if (work.pieces().get(piece).instance() == 1) {
                List<String> operators = work.pieces().get(piece).operators();
                groups.add(whole(IntStream.of(free).filter(each -> work.pieces().get(each).operators().equals(operators))));
            }
        }
    }

    private void add(int[] unit) {
        units.add(unit);
        IntStream.of(unit).forEach(piece -> unitOf[piece] = unit);
    }

    /** These pieces, with all of their units. */
    private int[] whole(IntStream pieces) {
        return pieces.flatMap(piece -> IntStream.of(unitOf[piece])).distinct().toArray();
    }

    private boolean isFree(int piece) {
        return work.pieces().get(piece).fixed() == Piece.FREE;
    }

    /** The loads of the best placement that it finds. */
    static Loads of(Workload work, Park park) {
        PlacementSearch search = new PlacementSearch(work, park);
        search.search();
        Loads found = new Loads(work, park);
        for (int piece = 0; piece < search.best.length; piece++) {
            found.put(piece, search.best[piece]);
        }
        return found;
    }

    private void search() {
        for (int piece = 0; piece < work.pieces().size(); piece++) {
            if (!isFree(piece)) {
                loads.put(piece, work.pieces().get(piece).fixed());
            }
        }
        deal();
        descend();
        for (int machine = 0; machine < machines; machine++) {
            int one = machine;
            units.forEach(unit -> put(unit, one));
            descend();
        }
        SplittableRandom random = new SplittableRandom(1);
        for (int k = 0; k < THROWS && !units.isEmpty(); k++) {
            put(best);
            for (int i = 0; i < THROWN; i++) {
                put(units.get(random.nextInt(units.size())), random.nextInt(machines));
            }
            descend();
        }
    }

    /** The largest pieces first, each to where it hurts least. */
    private void deal() {
        List<int[]> bySize = new ArrayList<>(units);
        bySize.sort(Comparator.comparingDouble(unit -> -IntStream.of(unit).mapToDouble(piece -> work.pieces().get(piece).busy())
                .sum()));
        for (int[] unit : bySize) {
            int where = 0;
            double least = Double.POSITIVE_INFINITY;
            for (int machine = 0; machine < machines; machine++) {
                put(unit, machine);
                double pain = loads.pain();
                if (pain < least) {
                    least = pain;
                    where = machine;
                }
            }
            put(unit, where);
        }
    }

    /** Moves pieces as long as that helps, and keeps what comes of it if nothing before was better. */
    private void descend() {
        double before = Double.POSITIVE_INFINITY;
        double pain = loads.pain();
        while (pain < before * BETTER) {
            before = pain;
            for (int[] group : groups) {
                for (int machine = 0; machine < machines; machine++) {
                    pain = moved(group, machine, pain);
                }
            }
            pain = swapped(pain);
        }
        if (pain < least * BETTER) {
            least = pain;
            best = loads.places();
        }
    }

    private double swapped(double before) {
        double pain = before;
        for (int a = 0; a < units.size(); a++) {
            for (int b = a + 1; b < units.size(); b++) {
                int[] one = units.get(a);
                int[] other = units.get(b);
                if (loads.place(one[0]) != loads.place(other[0]) && tries < MOST_TRIES) {
                    pain = tried(joined(one, other), joined(places(one.length, other), places(other.length, one)), pain);
                }
            }
        }
        return pain;
    }

    private static int[] joined(int[] one, int[] other) {
        return IntStream.concat(IntStream.of(one), IntStream.of(other)).toArray();
    }

    /** The place of a unit, so many times. */
    private int[] places(int count, int[] unit) {
        return IntStream.generate(() -> loads.place(unit[0])).limit(count).toArray();
    }

    private double moved(int[] group, int machine, double before) {
        boolean isThere = IntStream.of(group).allMatch(piece -> loads.place(piece) == machine);
        return isThere || tries >= MOST_TRIES ? before
                : tried(group, IntStream.of(group).map(piece -> machine).toArray(), before);
    }

    /** Puts these pieces there, and back unless that helps. @return the pain with them where they are then */
    private double tried(int[] pieces, int[] there, double before) {
        tries++;
        int[] here = IntStream.of(pieces).map(loads::place).toArray();
        put(pieces, there);
        double pain = loads.pain();
        if (pain < before * BETTER) {
            return pain;
        }
        put(pieces, here);
        return before;
    }

    private void put(int[] unit, int machine) {
        for (int piece : unit) {
            loads.put(piece, machine);
        }
    }

    private void put(int[] pieces, int[] there) {
        for (int k = 0; k < pieces.length; k++) {
            loads.put(pieces[k], there[k]);
        }
    }

    private void put(int[] places) {
        for (int piece = 0; piece < places.length; piece++) {
            loads.put(piece, places[piece]);
        }
    }
}
