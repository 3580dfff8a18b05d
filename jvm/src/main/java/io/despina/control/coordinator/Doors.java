package io.despina.control.coordinator;

import io.despina.control.members.ControlAddress;
import io.despina.control.members.Environment;
import io.despina.control.members.Lease;
import io.despina.control.members.LocalMember;
import io.despina.control.protocol.ControlMessage;
import io.despina.control.protocol.Credentials;
import io.despina.control.protocol.Message;
import io.despina.control.protocol.MessageTypes;
import io.despina.control.protocol.ProgramMessage;
import io.despina.control.protocol.Refusal;
import io.despina.control.visit.JobAddress;
import io.despina.descriptor.Nearest;
import io.despina.wire.ControlConnection;
import io.despina.wire.ControlHandler;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Supplier;

/**
 * The ports at which programs of other processes reach the coordinator's jobs: they learn where the rows are that they read or
 * give, and those of this process are read and given here. A program that knows the secret of one job reaches that job alone;
 * one that knows a secret which their user has given, all jobs that have it. Thread-safe.
 */
final class Doors implements AutoCloseable {
    private final Jobs jobs;
    private final Environment environment;
    private final Savepoints savepoints;
    private final Supplier<LocalMember> local;
    /** Guarded by itself. */
    private final Map<ControlAddress, Environment.Port> ports = new HashMap<>();
    /** By job, the port that knows its secret. Guarded by the ports. */
    private final Map<String, Environment.Port> admitted = new HashMap<>();

    /** @param local gives the resource in this process; null if there is none */
    Doors(Jobs jobs, Environment environment, Savepoints savepoints, Supplier<LocalMember> local) {
        this.savepoints = savepoints;
        this.jobs = jobs;
        this.environment = environment;
        this.local = local;
    }

    JobAddress open(Job job) throws Refusal {
        Lease.Access access = job.attempt().lease().access();
        int port = port(job.id(), access);
        return new JobAddress(access.reached(), port, job.id(), access.secret(),
                job.course().submission().options().secretFile(), access.at().tls());
    }

    private int port(String job, Lease.Access access) throws Refusal {
        ControlAddress at = access.at();
        synchronized (ports) {
            Environment.Port port = ports.get(at);
            if (port == null) {
                try {
                    port = environment.ports().open(at, Credentials.tls(at.tls()), over -> new Visit(access, over));
                } catch (IOException e) {
                    throw new Refusal("listen", e.getMessage(), "--listen takes an address of this machine");
                }
                ports.put(at, port);
            }
            if (access.secret() != null) {
                admit(job, access.secret(), port);
            }
            return port.number();
        }
    }

    private void admit(String job, String secret, Environment.Port port) {
        admitted.entrySet().removeIf(each -> {
            boolean isGone = jobs.find(each.getKey()) == null;
            if (isGone) {
                each.getValue().forget(each.getKey());
            }
            return isGone;
        });
        admitted.put(job, port);
        port.admit(job, secret);
    }

    private int number(ControlAddress at) {
        synchronized (ports) {
            return ports.get(at).number();
        }
    }

    @Override
    public void close() {
        synchronized (ports) {
            ports.values().forEach(Environment.Port::close);
            ports.clear();
        }
    }

    /** One connection: questions are JSON, what is asked of rows is not. */
    private final class Visit implements ControlHandler {
        private final Lease.Access access;
        private final ControlConnection connection;
        /** Null until rows are asked for. */
        private ControlHandler rows;
        /** Null until it gives rows; guarded by this, as the next. */
        private StagedInput given;
        private JobAttempt to;
        private final String run = UUID.randomUUID().toString();
        private boolean over;

        Visit(Lease.Access access, ControlConnection connection) {
            this.access = access;
            this.connection = connection;
        }

        @Override
        public void message(byte[] bytes) {
            if (bytes.length > 0 && bytes[0] == '{') {
                Message message = MessageTypes.decode(bytes);
                if (message instanceof ProgramMessage.Locate asked) {
                    locate(asked);
                } else if (message instanceof ProgramMessage.Decide asked) {
                    decide(asked);
                } else if (message instanceof ProgramMessage.Direct asked) {
                    environment.aside().execute(() -> direct(asked));
                } else if (message instanceof ControlMessage.Control asked) {
                    environment.aside().execute(() -> control(asked));
                }
                return;
            }
            LocalMember here = rows == null ? local.get() : null;
            if (here != null) {
                rows = here.rows(connection);
            }
            if (rows == null) {
                connection.close();
            } else {
                rows.message(bytes);
            }
        }

        /** Null if the connection may not know of it, which has been told. */
        private Job job(String id) {
            Job job = jobs.find(id);
            if (job == null || !mayKnow(job)) {
                refuse(new Refusal("job", "there is no job " + id + " any more", null));
                return null;
            }
            return job;
        }

        private boolean mayKnow(Job job) {
            String admitted = connection.admitted();
            return admitted.isEmpty() ? job.attempt().lease().access().at().secret().equals(access.at().secret())
                    : admitted.equals(job.id());
        }

        private void direct(ProgramMessage.Direct asked) {
            Job job = job(asked.job());
            if (job == null) {
                return;
            }
            try {
                if (asked.savepoint().isEmpty()) {
                    job.stop(Savepoints.mode(job, asked.stop()));
                    connection.send(new ProgramMessage.Directed(0, 0).encode());
                    return;
                }
                savepoints.begin(job, asked.savepoint(), asked.stop()).whenComplete((written, failure) -> {
                    if (failure != null) {
                        refuse(Refusal.of(failure));
                    } else {
                        connection.send(new ProgramMessage.Directed(written.epoch(), Savepoints.bytes(written)).encode());
                    }
                });
            } catch (Refusal why) {
                refuse(why);
            }
        }

        private void control(ControlMessage.Control asked) {
            Job job = job(asked.job());
            if (job == null) {
                return;
            }
            try {
                job.attempt().control(new Controls.Wanted(asked.command(), asked.operator(), asked.argument()))
                        .whenComplete((answers, failure) -> {
                            if (failure != null) {
                                refuse(Refusal.of(failure));
                            } else {
                                connection.send(new ControlMessage.Controlled(answers).encode());
                            }
                        });
            } catch (Refusal why) {
                refuse(why);
            }
        }

        private void locate(ProgramMessage.Locate asked) {
            Job job = job(asked.job());
            if (job == null) {
                return;
            }
            job.running().thenAccept(runs -> {
                try {
                    String here = access.reached() + ":" + number(access.at());
                    ProgramMessage.Located found = begin(runs, port(runs, asked)).located(runs.attempt(), runs.members(), here);
                    connection.send(found.encode());
                } catch (Refusal why) {
                    refuse(why);
                }
            });
        }

        /** As long as the connection lasts, rows may be staged under its run. */
        private synchronized RowPort begin(JobAttempt job, RowPort port) throws Refusal {
            if (!port.way().equals(ProgramMessage.Located.IN)) {
                return port;
            }
            if (given != null || over) {
                throw new Refusal("operator", "a connection gives rows to one operator", null);
            }
            given = job.exchange().epochs(port.operator());
            given.open(run);
            to = job;
            return port.of(run);
        }

        private void decide(ProgramMessage.Decide asked) {
            StagedInput epochs;
            synchronized (this) {
                epochs = given;
            }
            if (epochs == null) {
                refuse(new Refusal("operator", "rows are committed over the connection that asked where they go", null));
                return;
            }
            to.exchange().given().ask(epochs, run, asked).whenComplete((decided, failure) -> {
                Refusal cause = failure == null ? null : to.status().error();
                if (failure == null) {
                    connection.send(decided.encode());
                } else {
                    refuse(cause == null ? Refusal.of(failure) : cause);
                }
            });
        }

        private static RowPort port(JobAttempt job, ProgramMessage.Locate asked) throws Refusal {
            List<RowPort> all = job.exchange().ports().stream().filter(port -> port.way().equals(asked.way())).toList();
            List<RowPort> named = asked.operator().isEmpty() ? all
                    : all.stream().filter(port -> port.operator().equals(asked.operator())).toList();
            if (named.size() == 1) {
                return named.get(0);
            }
            throw notThere(job, asked, all.stream().map(RowPort::operator).toList());
        }

        private static Refusal notThere(JobAttempt job, ProgramMessage.Locate asked, List<String> all) {
            boolean takes = asked.way().equals(ProgramMessage.Located.IN);
            String id = asked.operator();
            String who = "job " + job.attempt().job() + (takes ? " takes" : " serves");
            if (id.isEmpty() && all.size() > 1) {
                return new Refusal("operator", who + " the rows of more than one operator",
                        "name one: " + String.join(", ", all));
            }
            String message = who + " no rows" + (id.isEmpty() ? "" : (takes ? " for `" : " of `") + id + "`");
            boolean isThere = job.outline().operators().contains(id);
            if (!id.isEmpty() && !isThere) {
                List<String> near = all.isEmpty() ? job.outline().operators() : all;
                return new Refusal("operator", message, Nearest.hint(id, near));
            }
            String hint = !takes ? "start it with `despina run … --spool " + (isThere ? id : "SINK")
                    + "`, or so with `despina submit`"
                    : "programs give rows to a spark_source" + (all.isEmpty() ? ", and its graph has none"
                    : ": " + String.join(", ", all));
            return new Refusal("operator", message, hint);
        }

        private void refuse(Refusal why) {
            connection.send(new Message.Refused(why.rule(), why.getMessage(), why.hint()).encode());
        }

        @Override
        public void closed(String reason) {
            StagedInput left;
            synchronized (this) {
                over = true;
                left = given;
            }
            if (left != null) {
                to.exchange().given().forget(run);
                left.close(run);
            }
            if (rows != null) {
                rows.closed(reason);
            }
        }
    }
}
