package io.despina.control.process;

import io.despina.control.protocol.Refusal;
import io.despina.placement.Cpus;
import io.despina.placement.Deployment;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/**
 * Which children of this machine have which processors. A child that names processors tells them in its own command line, where
 * all commands and services of the machine see them: so a claim ends with its process, however that ends.
 */
final class ProcessorClaims {
    /** Options of {@link ResourceMain}. */
    static final String CPUS = "--cpus";
    static final String SHARE = "--share";
    private static final String EXCLUSIVE = "exclusive";
    /** The main class of a child. */
    private static final String MAIN = ProcessorClaims.class.getPackageName() + ".ResourceMain";
    private static final long LOOK_MILLIS = 50;

    private final Affinity machine;
    private final long waitMillis;

    /** @param waitMillis how long a claim of a process that may be about to end is waited for */
    ProcessorClaims(Affinity machine, long waitMillis) {
        this.machine = machine;
        this.waitMillis = waitMillis;
    }

    /** @param pid of the child that has them */
    private record Claim(long pid, String resource, Cpus cpus, boolean isExclusive) {

        boolean excludes(Claim other) {
            return pid != other.pid && (isExclusive || other.isExclusive) && cpus.common(other.cpus) != null;
        }
    }

    /** What a child says in its command line of the processors that it names; nothing if it names none. */
    List<String> arguments(Deployment.Resource resource) throws Refusal {
        if (!resource.processors().areNamed()) {
            return List.of();
        }
        return List.of(CPUS, machine.cpus(resource).toString(), SHARE, resource.processors().use().isExclusive() ? EXCLUSIVE
                : "shared");
    }

    /** Waits until no other child excludes it, but not for long. */
    void await(Deployment.Resource resource) throws Refusal {
        if (!resource.processors().areNamed()) {
            return;
        }
        Claim own = new Claim(0, resource.name(), machine.cpus(resource), resource.processors().use().isExclusive());
        Claim other = inTheWay(own);
        try {
            for (long left = waitMillis; other != null && left > 0; left -= LOOK_MILLIS) {
                Thread.sleep(LOOK_MILLIS);
                other = inTheWay(own);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        refuse(own, other);
    }

    /** Looks once more when the child has been started: of two that were started at one moment the later one gives way. */
    void confirm(Deployment.Resource resource, long pid) throws Refusal {
        if (resource.processors().areNamed()) {
            Claim own = new Claim(pid, resource.name(), machine.cpus(resource), resource.processors().use().isExclusive());
            Claim other = inTheWay(own);
            refuse(own, other != null && other.pid < pid ? other : null);
        }
    }

    private static void refuse(Claim own, Claim other) throws Refusal {
        if (other != null) {
            String which = "resource `" + own.resource + "` ";
            String its = "resource `" + other.resource + "` (process " + other.pid + ") ";
            String common = other.cpus.common(own.cpus).toString();
            throw new Refusal("processors", other.isExclusive ? which + "names processors " + own.cpus + ", and " + its + "has "
                    + common + " for itself" : which + "is to have processors " + own.cpus + " for itself, and " + its + "has "
                    + common, "name others, or wait until that job has ended");
        }
    }

    /** The first child, by its process, that excludes it or that it excludes; null if there is none. */
    private Claim inTheWay(Claim own) {
        return claims().stream().filter(own::excludes).findFirst().orElse(null);
    }

    private List<Claim> claims() {
        List<Claim> found = new ArrayList<>();
        try (Stream<Path> all = Files.list(machine.root().resolve("proc"))) {
            List<Long> pids = all.map(each -> each.getFileName().toString()).filter(each -> each.matches("\\d{1,10}"))
                    .map(Long::parseLong).sorted().toList();
            for (long pid : pids) {
                Claim claim = claim(pid);
                if (claim != null) {
                    found.add(claim);
                }
            }
        } catch (IOException unreadable) {
            return List.of();       // Affinity has told of a system without it
        }
        return found;
    }

    private Claim claim(long pid) {
        List<String> words;
        try {
            byte[] line = Files.readAllBytes(machine.root().resolve("proc/" + pid + "/cmdline"));
            words = Arrays.asList(new String(line, StandardCharsets.UTF_8).split("\0"));
        } catch (IOException gone) {
            return null;
        }
        int from = words.indexOf(MAIN);
        if (from < 0) {
            return null;
        }
        List<String> options = words.subList(from + 1, words.size());
        String cpus = value(options, CPUS);
        return cpus == null ? null : new Claim(pid, value(options, "--name"), Cpus.parse(cpus),
                EXCLUSIVE.equals(value(options, SHARE)));
    }

    private static String value(List<String> options, String name) {
        int at = options.indexOf(name);
        return at < 0 || at + 1 >= options.size() ? null : options.get(at + 1);
    }
}
