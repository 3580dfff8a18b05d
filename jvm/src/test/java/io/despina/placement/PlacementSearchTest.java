package io.despina.placement;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.placement.Park.Machine;
import io.despina.placement.Park.Way;
import io.despina.placement.Workload.Flow;
import io.despina.placement.Workload.Piece;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Thirty graphs on six parks, beside the best of all placements and beside the fixed rule. */
class PlacementSearchTest {
    private static final int GRAPHS = 30;
    private static final boolean EVERY = System.getenv("DESPINA_EVERY_CASE") != null;
    private static final double MBIT = 1e6 / 8;

    private static final TreeMap<String, Park> PARKS = new TreeMap<>(Map.of(
            "two alike", park(1000, new double[] {1, 1}, new double[] {1, 1}),
            "one fast, one slow", park(1000, new double[] {2, 1}, new double[] {2, 4}),
            "many small ones", park(1000, new double[] {1, 1}, new double[] {1, 1}, new double[] {1, 1}, new double[] {1, 1}),
            "one large, three small", park(1000, new double[] {1, 4}, new double[] {1, 4}, new double[] {1, 4},
                    new double[] {4, 1}),
            "narrow links", park(10, new double[] {2, 1}, new double[] {1, 1.5}, new double[] {1, 1}),
            "an edge behind a narrow link", park(5, new double[] {1, 3}, new double[] {2, 1}, new double[] {2, 1},
                    new double[] {1, 1})));

    /** @param machines processors and slowness of each */
    private static Park park(double mbitPerS, double[]... machines) {
        List<Machine> all = new ArrayList<>();
        List<List<Way>> ways = new ArrayList<>();
        for (int k = 0; k < machines.length; k++) {
            all.add(new Machine("m" + k, machines[k][0], machines[k][1]));
            List<Way> own = new ArrayList<>();
            for (int i = 0; i < machines.length; i++) {
                own.add(i == k ? null : new Way(mbitPerS * MBIT, 1));
            }
            ways.add(own);
        }
        return new Park(all, ways);
    }

    /** Chains of one to three instances, each of which reads from one or two before it: half of what a park can do in all. */
    private static Workload graph(int seed, Park park) {
        Random random = new Random(seed);
        List<Piece> pieces = new ArrayList<>();
        List<Flow> flows = new ArrayList<>();
        List<Integer> first = new ArrayList<>();
        for (int most = EVERY ? 8 : 6, k = 0; pieces.size() < most; k++) {
            int instances = Math.min(1 + random.nextInt(3), most - pieces.size());
            double busy = Math.exp(random.nextGaussian()) / instances;
            double bytes = Math.exp(random.nextGaussian()) * 2 * MBIT;
            int to = pieces.size();
            for (int i = 0; i < instances; i++) {
                pieces.add(new Piece(List.of("c" + k), i, busy, Piece.FREE));
            }
            for (int from = Math.max(0, k - 1 - random.nextInt(2)); from < k; from++) {
                int senders = (from + 1 < k ? first.get(from + 1) : to) - first.get(from);
                for (int channel = 0; channel < senders * instances; channel++) {
                    flows.add(new Flow(first.get(from) + channel / instances, to + channel % instances,
                            bytes / senders / instances));
                }
            }
            first.add(to);
        }
        double capacity = park.machines().stream().mapToDouble(each -> each.cpus() / each.slowness()).sum();
        double scale = capacity / pieces.stream().mapToDouble(Piece::busy).sum() / 2;
        return new Workload(pieces.stream().map(each -> new Piece(each.operators(), each.instance(), each.busy() * scale,
                each.fixed())).toList(), flows);
    }

    private static double greatest(Workload work, Park park, int... at) {
        Loads loads = new Loads(work, park);
        for (int piece = 0; piece < at.length; piece++) {
            loads.put(piece, at[piece]);
        }
        return loads.greatest();
    }

    /** Of all placements. */
    private static double least(Workload work, Park park) {
        int machines = park.machines().size();
        int[] at = new int[work.pieces().size()];
        double least = Double.POSITIVE_INFINITY;
        for (long k = 0; k < Math.pow(machines, at.length); k++) {
            long rest = k;
            for (int piece = 0; piece < at.length; piece++, rest /= machines) {
                at[piece] = (int) (rest % machines);
            }
            least = Math.min(least, greatest(work, park, at));
        }
        return least;
    }

    private static double byTheFixedRule(Workload work, Park park) {
        int[] at = new int[work.pieces().size()];
        Arrays.setAll(at, piece -> (Integer.parseInt(work.pieces().get(piece).operators().get(0).substring(1))
                + work.pieces().get(piece).instance()) % park.machines().size());
        return greatest(work, park, at);
    }

    @Test
    void itIsNearTheBestOfAllAndFarBetterThanTheFixedRule() {
        List<Double> ofBest = new ArrayList<>();
        List<Double> ofFixed = new ArrayList<>();
        PARKS.forEach((name, park) -> {
            for (int seed = 0; seed < GRAPHS; seed++) {
                Workload work = graph(seed, park);
                double found = PlacementSearch.of(work, park).greatest();
                double ratio = found / least(work, park);
                assertTrue(ratio <= 1.1, name + ", graph " + seed + ": " + ratio + " of the best");
                ofBest.add(ratio);
                ofFixed.add(byTheFixedRule(work, park) / found);
            }
        });
        System.out.printf(Locale.ROOT, "median %.4f, worst %.4f of the best; the fixed rule %.3f%n", median(ofBest),
                Collections.max(ofBest), median(ofFixed));
        assertTrue(median(ofFixed) >= 1.3, "the fixed rule: " + median(ofFixed));
    }

    private static double median(List<Double> values) {
        return values.stream().sorted().skip(values.size() / 2).findFirst().orElseThrow();
    }

    @Test
    void whatIsFixedStaysAndEqualFactsHaveEqualAnswers() {
        Park park = PARKS.get("one large, three small");
        Workload free = graph(7, park);
        List<Piece> pieces = new ArrayList<>(free.pieces());
        pieces.set(1, new Piece(free.pieces().get(1).operators(), free.pieces().get(1).instance(), 0.5, 2));
        Workload work = new Workload(pieces, free.flows());
        int[] places = PlacementSearch.of(work, park).places();
        assertEquals(2, places[1]);
        assertArrayEquals(places, PlacementSearch.of(work, park).places());
    }

    @Test
    void littleWorkStaysTogether() {
        Park park = PARKS.get("many small ones");
        Workload work = new Workload(List.of(new Piece(List.of("a"), 0, 0.1, Piece.FREE), new Piece(List.of("b"), 0, 0.1,
                Piece.FREE), new Piece(List.of("b"), 1, 0.1, 3)), List.of(new Flow(0, 1, 1000), new Flow(0, 2, 1000)));
        assertArrayEquals(new int[] {3, 3, 3}, PlacementSearch.of(work, park).places());
    }

    @Test
    void whatSharesAProcessStaysTogetherThoughItWereBetterApart() {
        Park park = PARKS.get("two alike");
        List<Piece> pieces = List.of(new Piece(List.of("a"), 0, 0.4, Piece.FREE), new Piece(List.of("b"), 0, 0.4, Piece.FREE),
                new Piece(List.of("c"), 0, 0.1, Piece.FREE));
        int[] free = PlacementSearch.of(new Workload(pieces, List.of()), park).places();
        assertNotEquals(free[0], free[1]);
        int[] places = PlacementSearch.of(new Workload(pieces, List.of(), List.of(List.of(0, 1))), park).places();
        assertEquals(places[0], places[1]);
        assertNotEquals(places[0], places[2]);
    }

    @Test
    void aLargeGraphIsPlacedToo() {
        Park park = PARKS.get("many small ones");
        List<Piece> pieces = new ArrayList<>();
        List<Flow> flows = new ArrayList<>();
        for (int k = 0; k < 60; k++) {
            pieces.add(new Piece(List.of("c" + k / 4), k % 4, 0.03, Piece.FREE));
            if (k >= 4) {
                flows.add(new Flow(k - 4, k, MBIT));
            }
        }
        Loads loads = PlacementSearch.of(new Workload(pieces, flows), park);
        assertTrue(loads.greatest() < 0.7, "greatest share " + loads.greatest());
    }
}
