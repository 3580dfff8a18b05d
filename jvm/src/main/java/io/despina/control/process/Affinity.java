package io.despina.control.process;

import io.despina.control.protocol.Refusal;
import io.despina.placement.Cpus;
import io.despina.placement.Deployment;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/**
 * What a child's command begins with, so that it runs on the processors that the deployment gives it.
 *
 * @param root the folder that holds the system's {@code proc} and {@code sys}; another one in tests
 * @param path where commands are looked for, as {@code PATH} has it
 */
record Affinity(Path root, String path) {
    private static final String ALLOWED = "Cpus_allowed_list:";

    static Affinity ofThisMachine() {
        return new Affinity(Path.of("/"), System.getenv().getOrDefault("PATH", ""));
    }

    /** Empty if the resource runs on any processor. */
    List<String> command(Deployment.Resource resource) throws Refusal {
        Deployment.Processors of = resource.processors();
        if (of.threads().arePinned()) {
            refuseMore(resource, pinning(resource.name()));
        }
        if (!of.areNamed()) {
            return List.of();
        }
        cpus(resource);
        return of.cpus() != null
                ? List.of(found(resource.name(), "cpus", "taskset", "util-linux"), "--cpu-list", of.cpus().toString())
                : List.of(found(resource.name(), "node", "numactl", "numactl"), "--cpunodebind=" + of.node(),
                        "--membind=" + of.node());
    }

    /** The processors on which it runs: those that it names, or all that this process may use. */
    Cpus cpus(Deployment.Resource resource) throws Refusal {
        Deployment.Processors of = resource.processors();
        Cpus allowed = allowed(resource.name(), of.cpus() != null ? "cpus" : of.areNamed() ? "node" : "overcommit");
        if (of.cpus() != null) {
            refuseOthers(resource.name(), "has cpus=" + of.cpus(), of.cpus(), allowed);
        }
        if (of.cpus() != null || !of.areNamed()) {
            return of.cpus() == null ? allowed : of.cpus();
        }
        Path node = root.resolve("sys/devices/system/node/node" + of.node());
        if (!Files.isDirectory(node)) {
            throw new Refusal("processors", "resource `" + resource.name() + "` has node=" + of.node()
                    + ", and this machine has no such node", "it has " + nodes() + ": `despina doctor --machine` lists them");
        }
        Cpus own = cpus(node.resolve("cpulist"));
        refuseOthers(resource.name(), "has node=" + of.node(), own, allowed);
        return own;
    }

    /** Of the workers of this process, on the processors that it has. */
    ThreadPinning pinning(String resource) throws Refusal {
        return new ThreadPinning(found(resource, "pin", "taskset", "util-linux"), allowed(resource, "pin").numbers());
    }

    private static void refuseMore(Deployment.Resource resource, ThreadPinning pinning) throws Refusal {
        if (resource.cores() > pinning.cpus().size()) {
            throw new Refusal("processors", "resource `" + resource.name() + "` has cores=" + resource.cores()
                    + " worker threads, and " + pinning.cpus().size() + " processors to pin them to",
                    "leave \"cores\" or \"pin\" out");
        }
    }

    private static void refuseOthers(String resource, String what, Cpus wanted, Cpus allowed) throws Refusal {
        Cpus missing = wanted.without(allowed);
        if (missing != null) {
            throw new Refusal("processors", "resource `" + resource + "` " + what + ", and this process may not run on "
                    + missing, "the machine, or its container, gives it " + allowed);
        }
    }

    private Cpus allowed(String resource, String field) throws Refusal {
        try (Stream<String> lines = Files.lines(root.resolve("proc/self/status"))) {
            String line = lines.filter(each -> each.startsWith(ALLOWED)).findFirst().orElseThrow(
                    () -> new IOException("it does not have `" + ALLOWED + "`"));
            return Cpus.parse(line.substring(ALLOWED.length()).strip());
        } catch (IOException | IllegalArgumentException notLinux) {
            throw new Refusal("processors", "resource `" + resource + "` has `" + field + "`, and this system does not say which "
                    + "processors it gives (/proc/self/status: " + notLinux.getMessage() + ")", "leave `" + field
                    + "` out: it is for Linux");
        }
    }

    private static Cpus cpus(Path list) throws Refusal {
        try {
            return Cpus.parse(Files.readString(list).strip());
        } catch (IOException | IllegalArgumentException unreadable) {
            throw new Refusal("processors", list + ": " + unreadable.getMessage(), "name the processors with `cpus`");
        }
    }

    private String nodes() {
        try (Stream<Path> all = Files.list(root.resolve("sys/devices/system/node"))) {
            return String.join(", ", all.map(each -> each.getFileName().toString()).filter(each -> each.matches("node\\d+"))
                    .map(each -> each.substring("node".length())).sorted((a, b) -> Integer.parseInt(a) - Integer.parseInt(b))
                    .toList());
        } catch (IOException none) {
            return "none that the system tells of";
        }
    }

    private String found(String resource, String field, String command, String packaged) throws Refusal {
        return Arrays.stream(path.split(File.pathSeparator)).map(folder -> Path.of(folder, command)).filter(Files::isExecutable)
                .findFirst().map(Path::toString).orElseThrow(() -> new Refusal("processors", "resource `" + resource + "` has `"
                        + field + "`, and " + command + ", by which it is started, is not on the PATH", "install " + packaged
                        + ", as by `apt install " + packaged + "`, or leave `" + field + "` out"));
    }
}
