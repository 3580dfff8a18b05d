/**
 * Python functions in processes of their own: packets become Arrow batches ({@link io.despina.python.BatchWriter}), a worker
 * ({@link io.despina.python.PythonWorker}) answers them over a Unix socket, and answers become packets
 * ({@link io.despina.python.BatchReader}). The other side is {@code python/src/despina_worker}.
 */
package io.despina.python;
