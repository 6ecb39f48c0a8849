/* allreduce REPEATS SIZE...: times MPI_Allreduce of float sums under SimGrid's SMPI. One line "BYTES SECONDS" for each
 * size, SECONDS on the simulated clock from the first rank's start to the last rank's end, all repeats together. The
 * vectors of all ranks are mapped on the same memory (their values are not looked at). */
#include <mpi.h>
#include <smpi/smpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const long repeats = argc > 1 ? atol(argv[1]) : 0;
  for (int i = 2; i < argc; ++i) {
    const long bytes = atol(argv[i]);
    float* own = SMPI_SHARED_MALLOC((size_t)bytes);
    float* sum = SMPI_SHARED_MALLOC((size_t)bytes);
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    for (long r = 0; r < repeats; ++r)
      MPI_Allreduce(own, sum, (int)(bytes / (long)sizeof(float)), MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
    const double end = MPI_Wtime();
    double first, last;
    MPI_Reduce(&begin, &first, 1, MPI_DOUBLE, MPI_MIN, 0, MPI_COMM_WORLD);
    MPI_Reduce(&end, &last, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (rank == 0) printf("%ld %.17g\n", bytes, last - first);
    SMPI_SHARED_FREE(own);
    SMPI_SHARED_FREE(sum);
  }
  MPI_Finalize();
  return 0;
}
