package io.despina;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Which package may know which: the arrows of the house. */
class ArchitectureTest {
    private static final String ROOT = "io.despina";

    /** Package to those it may import. */
    private static final Map<String, Set<String>> ARROWS = new TreeMap<>(Map.ofEntries(
            Map.entry("api", Set.of()),
            Map.entry("connect", Set.of()),
            Map.entry("wake", Set.of()),
            Map.entry("packet", Set.of()),
            Map.entry("arrow", Set.of("packet")),
            Map.entry("metrics", Set.of()),
            Map.entry("json", Set.of()),
            Map.entry("spec", Set.of("packet")),
            Map.entry("expr", Set.of("packet")),
            Map.entry("state", Set.of("spec", "packet")),
            Map.entry("snapshot", Set.of("connect", "json", "state", "wake")),
            Map.entry("spool", Set.of("log")),
            Map.entry("log", Set.of()),
            Map.entry("inflow", Set.of("wake")),
            Map.entry("socket", Set.of("inflow", "wake")),
            Map.entry("registry", Set.of("json", "socket")),
            Map.entry("asking", Set.of("connect", "json", "operator", "socket", "spec")),
            Map.entry("python", Set.of("arrow", "json", "packet", "socket", "spec", "wake")),
            Map.entry("operator", Set.of("api", "arrow", "connect", "spec", "expr", "json", "state", "log", "spool", "packet",
                    "inflow", "python", "registry", "socket", "wake")),
            Map.entry("buffer", Set.of("wake")),
            Map.entry("link", Set.of("spec", "buffer", "packet", "metrics", "operator", "wake")),
            Map.entry("wire", Set.of("spec", "link", "buffer", "packet", "metrics", "socket", "wake")),
            Map.entry("runtime", Set.of("snapshot", "state", "spec", "operator", "link", "buffer", "wire", "packet", "metrics",
                    "wake")),
            Map.entry("descriptor", Set.of("packet")),
            Map.entry("plan", Set.of("spec", "descriptor", "expr", "packet")),
            Map.entry("catalogue", Set.of("api", "asking", "connect", "spec", "plan", "descriptor", "operator", "state", "spool",
                    "expr", "packet", "python", "registry", "socket")),
            Map.entry("placement", Set.of("spec", "plan", "descriptor")),
            Map.entry("control", Set.of("arrow", "connect", "spec", "catalogue", "placement", "plan", "descriptor", "runtime",
                    "wire", "link", "buffer", "operator", "snapshot", "state", "spool", "expr", "json", "packet", "python",
                    "metrics", "wake")),
            Map.entry("spark", Set.of("control", "spec", "state", "catalogue", "placement", "plan", "descriptor", "wire", "link",
                    "buffer", "operator", "spool", "expr", "json", "packet", "python", "wake")),
            Map.entry("gateway", Set.of("control", "json", "spark", "wire")),
            Map.entry("compare", Set.of())));

    /** Package with rooms, to each of its rooms and those of its rooms that it may import; "" is the package itself. */
    private static final Map<String, Map<String, Set<String>>> ROOMS = Map.of(
            "control", Map.ofEntries(
                    Map.entry("epoch", Set.of()),
                    Map.entry("folder", Set.of("assembly", "epoch", "protocol")),
                    Map.entry("protocol", Set.of()),
                    Map.entry("spool", Set.of("protocol")),
                    Map.entry("staging", Set.of("protocol")),
                    Map.entry("visit", Set.of("protocol", "spool", "staging")),
                    Map.entry("assembly", Set.of("epoch", "protocol")),
                    Map.entry("resource", Set.of("assembly", "spool", "staging", "visit", "protocol")),
                    Map.entry("process", Set.of("resource", "protocol")),
                    Map.entry("members", Set.of("process", "resource", "protocol")),
                    Map.entry("coordinator", Set.of("members", "process", "resource", "assembly", "epoch", "folder", "visit",
                            "protocol"))),
            "runtime", Map.of(
                    "deployment", Set.of(),
                    "worker", Set.of("deployment"),
                    "task", Set.of("deployment", "worker"),
                    "host", Set.of("deployment", "worker", "task")),
            "wire", Map.of(
                    "compress", Set.of(),
                    "frame", Set.of("compress"),
                    "handshake", Set.of("frame"),
                    "", Set.of("handshake", "frame", "compress")),
            "expr.catalyst", Map.of(
                    "row", Set.of(),
                    "analysis", Set.of("row"),
                    "codegen", Set.of("analysis", "row"),
                    "aggregate", Set.of("codegen", "analysis", "row"),
                    "text", Set.of("analysis", "row"),
                    "parquet", Set.of("analysis", "row"),
                    "", Set.of("aggregate", "codegen", "analysis", "text", "row")),
            "spark", Map.of(
                    "executor", Set.of(),
                    "file", Set.of(),
                    "fold", Set.of("function"),
                    "frame", Set.of("file", "fold", "function", "sink"),
                    "function", Set.of(),
                    "job", Set.of("executor"),
                    "sink", Set.of("job"),
                    "source", Set.of("job", "sink")),
            "catalogue", Map.of(
                    "field", Set.of(),
                    "", Set.of("field")),
            "operator", Map.ofEntries(
                    Map.entry("", Set.of()),
                    Map.entry("order", Set.of("")),
                    Map.entry("control", Set.of("")),
                    Map.entry("disk", Set.of("")),
                    Map.entry("record", Set.of("", "record.csv", "record.value", "record.avro", "record.protobuf",
                            "source.time")),
                    Map.entry("record.csv", Set.of("")),
                    Map.entry("record.value", Set.of("", "record.csv")),
                    Map.entry("record.avro", Set.of("", "record.csv", "record.value")),
                    Map.entry("record.protobuf", Set.of("", "record.value")),
                    Map.entry("record.registry", Set.of("", "record.avro", "record.protobuf", "record.value")),
                    Map.entry("source.time", Set.of("", "record.csv")),
                    Map.entry("source.file", Set.of("", "disk", "record", "record.csv", "record.avro", "record.value",
                            "source.time")),
                    Map.entry("source.inflow", Set.of("", "record", "source.time")),
                    Map.entry("source.socket", Set.of("", "record", "record.csv", "source.inflow", "source.time")),
                    Map.entry("source", Set.of("", "source.time", "experiment")),
                    Map.entry("sink.file", Set.of("", "disk", "record", "record.avro")),
                    Map.entry("outbox", Set.of("")),
                    Map.entry("sink.socket", Set.of("", "record", "outbox")),
                    Map.entry("connect", Set.of("", "outbox", "record", "record.registry", "source.inflow", "source.time")),
                    Map.entry("sink", Set.of("")),
                    Map.entry("program", Set.of("", "order", "outbox", "source.time")),
                    Map.entry("stateless", Set.of("")),
                    Map.entry("keyed", Set.of("", "order")),
                    Map.entry("window", Set.of("", "order")),
                    Map.entry("join", Set.of("", "order")),
                    Map.entry("lookup", Set.of("", "order", "record", "source.file")),
                    Map.entry("database", Set.of("", "lookup")),
                    Map.entry("database.source", Set.of("", "database", "source.time")),
                    Map.entry("database.sink", Set.of("", "database", "outbox", "record")),
                    Map.entry("python", Set.of("", "order", "source.time")),
                    Map.entry("user", Set.of("", "order", "source.time")),
                    Map.entry("experiment", Set.of(""))));

    /** Who may read a clock of the machine, and why. All others are given theirs, so that a simulation can give them another. */
    private static final Map<String, String> READS_A_CLOCK = new TreeMap<>(Map.ofEntries(
            Map.entry("asking.AskingClock", "gives the threads of sources that ask their time"),
            Map.entry("compare.Meter", "measures other engines"),
            Map.entry("compare.Pace", "measures other engines"),
            Map.entry("compare.nexmark.Runs", "measures other engines"),
            Map.entry("connect.LoginPatience", "awaits real servers, in the thread that calls"),
            Map.entry("connect.ServerPatience", "awaits real servers, in the thread that calls"),
            Map.entry("connect.StartPatience", "awaits real servers, in the thread that calls"),
            Map.entry("control.coordinator.Connections", "awaits real servers, in the thread that calls"),
            Map.entry("control.resource.LoopMeter", "measures the machine"),
            Map.entry("control.members.Environment", "gives the coordinator its clocks"),
            Map.entry("control.resource.ResourceAgent", "gives a resource its clocks"),
            Map.entry("control.process.ResourceMain", "gives a process its clocks, and has nothing to do until it is joined"),
            Map.entry("spark.executor.ExecutorResource", "gives a resource in an executor its clocks"),
            Map.entry("runtime.host.ResourceOptions", "gives a resource of this process the time of day"),
            Map.entry("wire.WireOptions", "gives a wire of this process its clock"),
            Map.entry("log.LogThreads", "gives a log its threads and clock"),
            Map.entry("spark.fold.SteppedOperator", "gives an operator in Spark's task its clock"),
            Map.entry("python.WorkerOutput", "what a real process prints is told at a pace that people can read"),
            Map.entry("socket.SocketClient", "awaits a peer in the thread that calls"),
            Map.entry("socket.SocketListener", "awaits the end of real connections"),
            Map.entry("spool.Spool", "awaits rows in its monitor"),
            Map.entry("spark.source.SpoolOfNow", "awaits rows in Spark's task"),
            Map.entry("spark.source.SpoolReader", "awaits rows in Spark's task"),
            Map.entry("spark.executor.TaskSlots", "compares with times that Spark has read of the same clock"),
            Map.entry("expr.KeptAnswers", "compares with the times of files"),
            Map.entry("expr.Expressions", "now() of who asks for no moment"),
            Map.entry("expr.catalyst.analysis.JobInstant", "now() of who asks for no moment")));

    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS).importPackages(ROOT);

    @Test
    void packagesImportOnlyWhatTheyMay() {
        ARROWS.forEach((from, to) -> {
            String[] allowed = to.stream().map(ArchitectureTest::within).toArray(String[]::new);
            noClasses().that().resideInAPackage(within(from)).should().dependOnClassesThat(
                    resideInAPackage(within("")).and(not(resideInAPackage(within(from))))
                            .and(not(resideInAnyPackage(allowed)))).allowEmptyShould(true).check(CLASSES);
        });
    }

    @Test
    void roomsImportOnlyWhatTheyMay() {
        ROOMS.forEach((house, rooms) -> rooms.forEach((from, to) -> {
            String[] allowed = Stream.concat(Stream.of(from), to.stream()).map(room -> room(house, room)).toArray(String[]::new);
            noClasses().that().resideInAPackage(room(house, from)).should().dependOnClassesThat(
                    resideInAPackage(within(house)).and(not(resideInAnyPackage(allowed)))).check(CLASSES);
        }));
    }

    @Test
    void everyRoomHasItsArrows() {
        ROOMS.forEach((house, rooms) -> assertEquals(rooms.keySet(), CLASSES.stream().map(JavaClass::getPackageName)
                .filter(name -> (name + ".").startsWith(room(house, "") + "."))
                .map(name -> name.substring(Math.min(name.length(), room(house, "").length() + 1)))
                .collect(Collectors.toCollection(TreeSet::new))));
    }

    private static String room(String house, String name) {
        return ROOT + "." + house + (name.isEmpty() ? "" : "." + name);
    }

    private static String within(String name) {
        return name.isEmpty() ? ROOT + ".." : ROOT + "." + name + "..";
    }

    @Test
    void everyPackageHasItsArrows() {
        Set<String> found = new TreeSet<>();
        for (JavaClass one : CLASSES) {
            String rest = one.getPackageName().substring(ROOT.length());
            if (!rest.isEmpty()) {
                found.add(rest.substring(1).split("\\.")[0]);
            }
        }
        assertTrue(ARROWS.keySet().containsAll(found), found + " has a package without arrows in " + ARROWS.keySet());
    }

    @Test
    void onlyTheRoomsOfSparkImportIt() {
        noClasses().that().resideOutsideOfPackages(ROOT + ".expr.catalyst..", ROOT + ".spark..")
                .should().dependOnClassesThat().resideInAnyPackage("org.apache.spark..", "scala..").check(CLASSES);
    }

    @Test
    void onlyTheCompilerOfGeneratedCodeNamesJanino() {
        noClasses().that().doNotHaveFullyQualifiedName(ROOT + ".expr.catalyst.codegen.Janino").should().dependOnClassesThat()
                .resideInAnyPackage("org.codehaus..").check(CLASSES);
    }

    @Test
    void onlyWhatReadsOrWritesItsFilesImportsHadoop() {
        noClasses().that().resideOutsideOfPackages(ROOT + ".expr.catalyst..", ROOT + ".snapshot..", ROOT + ".operator.disk",
                ROOT + ".operator.source.file", ROOT + ".operator.sink.file", ROOT + ".spark.file").and()
                .doNotHaveFullyQualifiedName(ROOT + ".connect.StoreFiles")
                .should().dependOnClassesThat().resideInAnyPackage("org.apache.hadoop..").check(CLASSES);
    }

    /** It is loaded only where a registry is named. */
    @Test
    void onlyTheStoreInZooKeeperImportsItsClients() {
        noClasses().that().haveNameNotMatching(ROOT.replace(".", "\\.") + "\\.snapshot\\.ZooKeeperStore.*").should()
                .dependOnClassesThat().resideInAnyPackage("org.apache.curator..", "org.apache.zookeeper..").check(CLASSES);
    }

    @Test
    void onlyTheWireAndSocketsImportNetty() {
        noClasses().that().resideOutsideOfPackages(within("wire"), within("socket")).should().dependOnClassesThat()
                .resideInAPackage("io.netty..").check(CLASSES);
    }

    @Test
    void onlyLookupsImportGeometry() {
        noClasses().that().resideOutsideOfPackage(within("operator.lookup")).should().dependOnClassesThat()
                .resideInAPackage("org.locationtech..").check(CLASSES);
    }

    @Test
    void planningAndDecidingArePure() {
        noClasses().that().resideInAnyPackage(within("plan"), within("placement"), room("control", "epoch")).should()
                .dependOnClassesThat()
                .resideInAnyPackage("java.net..", "java.nio.channels..", "java.util.concurrent..")
                .orShould().dependOnClassesThat().belongToAnyOf(Thread.class, java.io.File.class, java.nio.file.Files.class)
                .check(CLASSES);
    }

    /** Its definitions plan too; only what writes the generated files touches them. */
    @Test
    void theCatalogueTouchesNothingOutside() {
        noClasses().that().resideInAPackage(within("catalogue")).and().doNotHaveSimpleName("Generate").should()
                .dependOnClassesThat().resideInAnyPackage("java.net..", "java.nio.channels..")
                .orShould().dependOnClassesThat().belongToAnyOf(Thread.class, java.io.File.class, java.nio.file.Files.class)
                .check(CLASSES);
    }

    @Test
    void operatorsStartNoThreads() {
        noClasses().that().resideInAnyPackage(within("operator"), within("state"), within("packet"))
                .should().callConstructor(Thread.class, Runnable.class)
                .orShould().callConstructor(Thread.class, Runnable.class, String.class)
                .orShould().dependOnClassesThat().haveFullyQualifiedName("java.util.concurrent.ExecutorService")
                .check(CLASSES);
    }

    @Test
    void onlyTheseReadAClockOfTheMachine() {
        Set<String> found = CLASSES.stream().filter(ArchitectureTest::readsAClock)
                .map(one -> one.getName().substring(ROOT.length() + 1).split("\\$")[0])
                .collect(Collectors.toCollection(TreeSet::new));
        assertEquals(READS_A_CLOCK.keySet(), found);
    }

    private static boolean readsAClock(JavaClass one) {
        var accesses = Stream.concat(one.getCodeUnitCallsFromSelf().stream(), one.getCodeUnitReferencesFromSelf().stream());
        return accesses.anyMatch(access -> {
            String owner = access.getTargetOwner().getName();
            String name = access.getTarget().getName();
            return owner.equals("java.lang.System") && (name.equals("nanoTime") || name.equals("currentTimeMillis"))
                    || owner.startsWith("java.time.") && name.equals("now") || owner.equals("java.time.Clock")
                    || owner.equals("java.util.Date") && access.getTarget().getFullName().endsWith("<init>()");
        });
    }

    @Test
    void thereIsNoPackageForTheRest() {
        List<String> rooms = List.of("util", "utils", "common", "helper", "helpers", "misc");
        assertEquals(List.of(), CLASSES.stream().map(JavaClass::getPackageName).distinct()
                .filter(name -> rooms.contains(name.substring(name.lastIndexOf('.') + 1))).toList());
    }
}
