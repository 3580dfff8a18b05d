package io.despina.placement;

import io.despina.descriptor.Checked;
import io.despina.descriptor.Descriptor;
import io.despina.descriptor.Diagnostics;
import io.despina.descriptor.Rule;
import io.despina.descriptor.Text;
import io.despina.descriptor.Values;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * What the machines of a deployment can do, and what is between them: the fields {@code machine} and {@code network}.
 *
 * @param machines one of each resource, in the deployment's order
 * @param ways     from each of them to each, alike in both directions; null from one to itself
 */
public record Park(List<Machine> machines, List<List<Way>> ways) {
    private static final String ALL = "*";
    /** Of each two there is a way, and a search looks at all of them again and again. */
    private static final int MOST = 256;
    private static final double MEGABIT = 1e6 / Byte.SIZE;

    public Park {
        machines = List.copyOf(machines);
    }

    /**
     * What a resource has of its machine.
     *
     * @param cpus     processors that it may keep busy
     * @param slowness how many times as long as the machine of {@link Loops#REFERENCE} it takes for its work
     */
    public record Machine(String resource, double cpus, double slowness) {
    }

    /**
     * From one resource to another.
     *
     * @param bytesPerS       that it can carry in each direction
     * @param roundTripMillis there and back
     */
    public record Way(double bytesPerS, double roundTripMillis) {
        /** As within a machine, or where nobody has said otherwise. */
        static final Way OPEN = new Way(Double.POSITIVE_INFINITY, 0.2);
    }

    /** Of two different machines. */
    Way way(int from, int to) {
        return ways.get(from).get(to);
    }

    /** The machine of that resource; -1 if there is none. */
    int indexOf(String resource) {
        for (int k = 0; k < machines.size(); k++) {
            if (machines.get(k).resource().equals(resource)) {
                return k;
            }
        }
        return -1;
    }

    /**
     * Reads what a deployment file says of machines.
     *
     * @param deployment of that text, which is sound
     */
    public static Checked<Park> load(Deployment deployment, String text) {
        Values written = Descriptor.loadDeployment(text, deployment.file()).value();
        Diagnostics diagnostics = new Diagnostics(deployment.file());
        ResourceNames named = new ResourceNames();
        List<Machine> machines = new ArrayList<>();
        written.map("resources").forEach((name, fields) -> {
            double cpus = cpus(name, fields, diagnostics);
            Values machine = fields.fields("machine");
            double slowness = machine == null ? 1 : Loops.slowness(machine.fields("loops_ns"));
            named.add(name, fields).forEach(each -> machines.add(new Machine(each, cpus, slowness)));
        });
        if (machines.size() > MOST) {
            diagnostics.error(written.place("resources"), Rule.OUT_OF_RANGE, "operators are to be placed on " + machines.size()
                    + " resources", "it may be " + MOST + " at most; leave out some that are like others");
            return Checked.of(null, diagnostics);
        }
        List<List<Way>> ways = new ArrayList<>();
        machines.forEach(each -> ways.add(new ArrayList<>(Collections.nCopies(machines.size(), null))));
        Park park = new Park(machines, ways);
        for (Values network : written.list("network")) {
            park.connect(network, named, diagnostics);
        }
        for (int from = 0; from < machines.size(); from++) {
            for (int to = 0; to < machines.size(); to++) {
                if (from != to && park.way(from, to) == null) {
                    ways.get(from).set(to, Way.OPEN);
                }
            }
        }
        return Checked.of(park, diagnostics);
    }

    /** How many processors the resource may keep busy, by what is said of them and of its threads. */
    private static double cpus(String name, Values fields, Diagnostics diagnostics) {
        double threads = fields.isWritten("cpus") ? Cpus.parse(fields.text("cpus").value()).count()
                : fields.whole("cores", Long.MAX_VALUE);
        Values machine = fields.fields("machine");
        if (machine == null && threads == Long.MAX_VALUE) {
            diagnostics.error(fields.place(), Rule.MISSING_FIELD, "nothing says how many processors resource `" + name + "` has",
                    "add \"machine\": `despina doctor --machine --measure`, on its machine, prints it");
        }
        return machine == null ? threads : Math.min(threads, machine.real("cpus", 0));
    }

    private void connect(Values network, ResourceNames named, Diagnostics diagnostics) {
        List<Text> ends = network.texts("between");
        if (ends.size() != 2) {
            diagnostics.error(network.place("between"), Rule.OUT_OF_RANGE, "`between` has " + ends.size()
                    + " names, and a way has two ends", "name two resources, or two labels: [\"edge\", \"*\"]");
            return;
        }
        List<String> names = machines.stream().map(Machine::resource).toList();
        List<String> ones = end(ends.get(0), names, named, diagnostics);
        List<String> others = end(ends.get(1), names, named, diagnostics);
        Way way = new Way(network.real("mbit_per_s", 0) * MEGABIT, network.real("round_trip_ms", 0));
        int pairs = 0;
        int first = 0;
        for (String one : ones) {
            for (String other : others) {
                pairs += one.equals(other) ? 0 : 1;
                first += !one.equals(other) && put(indexOf(one), indexOf(other), way) ? 1 : 0;
            }
        }
        boolean known = !ones.isEmpty() && !others.isEmpty();
        if (known && first == 0) {
            String both = "`" + ends.get(0).value() + "` and `" + ends.get(1).value() + "`";
            diagnostics.error(network.place("between"), Rule.EXCLUSIVE, pairs == 0
                    ? both + " are one resource: nothing is between" : "what is between " + both + " was said above",
                    pairs == 0 ? "name two" : "leave one of them out: the first that fits counts");
        }
    }

    /** @return whether it is the first between them */
    private boolean put(int one, int other, Way way) {
        if (way(one, other) != null) {
            return false;
        }
        ways.get(one).set(other, way);
        ways.get(other).set(one, way);
        return true;
    }

    private static List<String> end(Text written, List<String> names, ResourceNames named, Diagnostics diagnostics) {
        return written.value().equals(ALL) ? names : named.of(List.of(written), names, diagnostics);
    }
}
