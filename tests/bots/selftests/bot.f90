program bot
  use iso_fortran_env, only: output_unit
  implicit none
  character(100) :: line
  integer :: state
  print '(a)', 'ready'
  flush (output_unit)
  read '(a)', line
  print '(a)', 'heard ' // trim(line)
  flush (output_unit)
  do
    read (*, '(a)', iostat=state) line
    if (state /= 0) exit
  end do
end program
